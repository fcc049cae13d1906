import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { proxyFor } from "../../src/model/ai-sdk/proxy.ts";
import { defaultCertificates } from "../../src/model/ai-sdk/routes.ts";
import { Governor } from "../../src/model/governor.ts";
import { openModel } from "../../src/model/open-model.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { collect, lastOf } from "./ai-sdk-support.ts";
import { makeCertificate, TestProxy, tlsBefore } from "./network-support.ts";

const id = "openai-compatible/llama";
const greeting = { type: "finish", blocks: [says("Hi")] };

test("requests over https go through a tunnel of the proxy, which serves several of them", async () => {
  await using directory = await temporaryDirectory();
  const certificate = await makeCertificate(directory.path);
  await using server = await ProviderServer.start();
  await using tls = await tlsBefore(server.url, certificate);
  await using proxy = await TestProxy.start({ to: tls.port });
  server.replyWith(() => says("Hi"));
  const model = await openModel(id, {
    env: {
      OPENAI_COMPATIBLE_BASE_URL: "https://provider.test/v1",
      HTTPS_PROXY: proxy.url.replace("//", "//ada:p%40ss@"),
      SSL_CERT_FILE: certificate.certificateFile,
    },
    clock: systemClock,
  });

  for (let asked = 0; asked < 10; asked++) {
    expect(lastOf(await collect(model))).toMatchObject(greeting);
  }

  const asked = `CONNECT provider.test:443 Basic ${base64("ada:p@ss")}`;
  expect(new Set(proxy.seen)).toEqual(new Set([asked]));
  // A connection may still be busy with the end of an answer when the next request begins.
  expect(proxy.seen.length).toBeLessThan(10);
  expect(server.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  expect(server.requests[0]?.headers.host).toBe("provider.test");
});

test("requests over http are sent to the proxy with their whole address", async () => {
  await using server = await ProviderServer.start();
  const port = Number(new URL(server.url).port);
  await using proxy = await TestProxy.start({ to: port });
  server.reply(says("Hi"));
  const env = { OPENAI_COMPATIBLE_BASE_URL: "http://provider.test:81/v1", http_proxy: proxy.url };

  const model = await openModel(id, { env, clock: systemClock });

  expect(lastOf(await collect(model))).toMatchObject(greeting);
  expect(proxy.seen).toEqual(["POST http://provider.test:81/v1/chat/completions"]);
  expect(server.requests[0]?.headers.host).toBe("provider.test:81");
});

test("a host in NO_PROXY is asked directly", async () => {
  await using server = await ProviderServer.start();
  await using proxy = await TestProxy.start();
  server.reply(says("Hi"));
  const base = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
  const env = { ...base, HTTP_PROXY: proxy.url, NO_PROXY: "localhost,127.0.0.1" };

  const model = await openModel(id, { env, clock: systemClock });

  expect(lastOf(await collect(model))).toMatchObject(greeting);
  expect(proxy.seen).toEqual([]);
});

test.each([
  ["https", 407, "proxy-refused", "wants other credentials (407)", "name and password"],
  ["http", 407, "proxy-refused", "wants other credentials (407)", "name and password"],
  ["https", 403, "proxy-refused", "refuses to connect (403)", "NO_PROXY"],
  ["https", 502, "unreachable", "cannot connect (502)", "NO_PROXY"],
])(
  "over %s, a proxy that answers %i is reported at once: %s",
  async (scheme, refuses, kind, message, hint) => {
    await using proxy = await TestProxy.start({ refuses });
    const env = {
      OPENAI_COMPATIBLE_BASE_URL: `${scheme}://provider.test/v1`,
      ALL_PROXY: proxy.url.replace("//", "//ada:secret-of-ada@"),
    };

    const failure = await governedFailure(env);

    expect(failure).toMatchObject({
      kind,
      message: expect.stringContaining(`the proxy ${new URL(proxy.url).host} ${message}`),
      hint: expect.stringContaining(hint),
    });
    expect(JSON.stringify(failure)).not.toContain("secret-of-ada");
    expect(proxy.seen).toHaveLength(1);
  },
);

test("a proxy that is not there is reported at once, with its address", async () => {
  const proxy = await TestProxy.start();
  const { url } = proxy;
  await proxy[Symbol.asyncDispose]();

  const base = { OPENAI_COMPATIBLE_BASE_URL: "https://provider.test/v1" };
  const failure = await governedFailure({ ...base, HTTPS_PROXY: url });

  expect(failure).toMatchObject({
    kind: "unreachable",
    message: expect.stringMatching(/the proxy 127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/),
    hint: expect.stringContaining("HTTPS_PROXY"),
  });
});

test.each(["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"])(
  "a server with a company's certificate is trusted by %s alone",
  async (name) => {
    await using directory = await temporaryDirectory();
    const certificate = await makeCertificate(directory.path);
    await using server = await ProviderServer.start();
    await using tls = await tlsBefore(server.url, certificate);
    server.reply(says("Hi"));
    const base = { OPENAI_COMPATIBLE_BASE_URL: `https://localhost:${tls.port}/v1` };

    const failure = await governedFailure(base);
    const env = { ...base, [name]: certificate.certificateFile };
    const model = await openModel(id, { env, clock: systemClock });

    expect(failure).toMatchObject({
      kind: "untrusted",
      hint: expect.stringContaining("SSL_CERT_FILE"),
    });
    expect(lastOf(await collect(model))).toMatchObject(greeting);
  },
);

test("with a company's certificate, a name that is not in it is still refused", async () => {
  await using directory = await temporaryDirectory();
  const certificate = await makeCertificate(directory.path);
  await using server = await ProviderServer.start();
  await using tls = await tlsBefore(server.url, certificate);
  await using proxy = await TestProxy.start({ to: tls.port });

  const failure = await governedFailure({
    OPENAI_COMPATIBLE_BASE_URL: "https://other.test/v1",
    HTTPS_PROXY: proxy.url,
    SSL_CERT_FILE: certificate.certificateFile,
  });

  expect(failure).toMatchObject({ kind: "untrusted" });
});

test("files without certificates and proxies of other kinds are refused before any request", async () => {
  await using directory = await temporaryDirectory();
  const empty = join(directory.path, "empty.pem");
  await writeFile(empty, "no certificate");
  const base = { OPENAI_COMPATIBLE_BASE_URL: "https://provider.test/v1" };

  for (const [wrong, message] of [
    [{ SSL_CERT_FILE: empty }, "which has no certificates"],
    [{ SSL_CERT_FILE: join(directory.path, "none.pem") }, "SSL_CERT_FILE cannot be read"],
    [{ HTTPS_PROXY: "socks5://ada:pw-of-ada@box" }, "HTTPS_PROXY is not the address of an HTTP"],
    [{ http_proxy: "http://" }, "http_proxy is not the address of an HTTP proxy"],
  ] as const) {
    const opening = openModel(id, { env: { ...base, ...wrong }, clock: systemClock });

    await expect(opening).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringContaining(message),
      hint: expect.any(String),
    });
    await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining("pw-of") });
  }
});

test.each([
  ["https://a.test", { HTTPS_PROXY: "p:1" }, "p:1"],
  ["https://a.test", { HTTPS_PROXY: "upper:1", https_proxy: "lower:1" }, "lower:1"],
  ["https://a.test", { HTTPS_PROXY: "https://p" }, "p:443"],
  ["https://a.test", { HTTP_PROXY: "p:1" }, undefined],
  ["http://a.test", { HTTP_PROXY: "http://p" }, "p:80"],
  ["http://a.test", { HTTPS_PROXY: "p:1" }, undefined],
  ["http://a.test", { all_proxy: "p:1" }, "p:1"],
  ["http://localhost:11434", { HTTP_PROXY: "p:1" }, "p:1"],
  ["https://a.test", { HTTPS_PROXY: "" }, undefined],
  ["https://a.test", { HTTPS_PROXY: "[::1]:3128" }, "[::1]:3128"],
] as const)("the proxy for %s with %o is %s", (url, env, place) => {
  expect(proxyFor(new URL(url), env)?.place).toBe(place);
});

test.each([
  ["*", true],
  ["api.test", true],
  ["API.Test", true],
  ["test", true],
  [".test", true],
  ["*.test", true],
  ["other.test, api.test", true],
  ["other.test api.test", true],
  ["api.test:443", true],
  ["api.test:80", false],
  ["pi.test", false],
  ["a.api.test", false],
  ["", false],
  [".", false],
])("NO_PROXY=%s covers https://api.test: %s", (no_proxy, isExempt) => {
  const proxy = proxyFor(new URL("https://api.test"), { HTTPS_PROXY: "p:1", no_proxy });

  expect(proxy === undefined).toBe(isExempt);
});

test.each([
  ["127.0.0.1", "127.0.0.1", true],
  ["127.0.0.0/8", "127.9.9.9", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["10.0.0.0/99", "10.0.0.1", false],
  ["0.0.1", "127.0.0.1", false],
  ["127.0.0.1:8080", "127.0.0.1", false],
  ["::1", "[::1]", true],
  ["[::1]", "[::1]", true],
  ["[::1]:443", "[::1]", true],
  ["fd00::/8", "[fd12::1]", true],
  ["fd00::/8", "10.0.0.1", false],
])("NO_PROXY=%s covers https://%s: %s", (NO_PROXY, host, isExempt) => {
  const proxy = proxyFor(new URL(`https://${host}`), { HTTPS_PROXY: "p:1", NO_PROXY });

  expect(proxy === undefined).toBe(isExempt);
});

/** How a model fails that may be asked again. */
async function governedFailure(env: Record<string, string>) {
  const governor = new Governor({ clock: new ManualClock(), random: () => 0 });
  const model = governor.govern(await openModel(id, { env, clock: systemClock }));
  const parts = await collect(model);
  expect(parts).toHaveLength(1);
  const end = lastOf(parts);
  if (end?.type !== "error") throw new Error(JSON.stringify(end));
  return end.failure;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

test("a certificate of the person is trusted in addition to those that Node trusts by its flags", () => {
  const rootCertificates = ["root"];

  expect(defaultCertificates({ rootCertificates })).toEqual(["root"]);
  const getCACertificates = () => ["root", "system"];
  expect(defaultCertificates({ rootCertificates, getCACertificates })).toEqual(["root", "system"]);
});
