import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { Disposables } from "../../src/lib/disposables.ts";
import { openModel } from "../../src/model/open-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { collect, lastOf } from "./ai-sdk-support.ts";
import { makeCertificate, TestProxy, tlsBefore } from "./network-support.ts";
import { realPackages, wireServer } from "./package-support.ts";

const json = "application/json";
const login = { type: json, body: '{"access_token":"ya29.of-the-login","expires_in":3600}' };
const candidate = { content: { role: "model", parts: [{ text: "Hi." }] }, finishReason: "STOP" };
const hi = {
  type: "text/event-stream",
  body: `data: ${JSON.stringify({ candidates: [candidate] })}\n\n`,
};

/** Google behind a proxy and a company's authority, for a person who has logged in with `gcloud`. */
async function googleBehindProxy(answers: { status?: number; type: string; body: string }[]) {
  const stack = new Disposables();
  const place = stack.use(await realPackages());
  const { path } = stack.use(await temporaryDirectory());
  const certificate = await makeCertificate(path);
  const server = stack.use(await wireServer(() => answers.shift() ?? hi));
  const tls = stack.use(await tlsBefore(server.url, certificate));
  const proxy = stack.use(await TestProxy.start({ to: tls.port }));
  const file = join(path, "login.json");
  const secrets = { client_id: "id", client_secret: "secret", refresh_token: "1//refresh" };
  await writeFile(file, JSON.stringify({ type: "authorized_user", ...secrets }));
  const env = {
    ...place.env,
    ...{ GOOGLE_VERTEX_PROJECT: "p", GOOGLE_VERTEX_LOCATION: "global" },
    ...{ GOOGLE_APPLICATION_CREDENTIALS: file, HTTPS_PROXY: proxy.url },
    SSL_CERT_FILE: certificate.certificateFile,
  };
  return { env, server, proxy, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

async function answer(env: Record<string, string>) {
  const model = await openModel("vertex/gemini-3.5-flash", { env, clock: systemClock });
  return lastOf(await collect(model));
}

test("Google's login goes through the proxy and trusts a company's authority, as the requests do", async () => {
  await using google = await googleBehindProxy([login, hi]);

  expect(await answer(google.env)).toMatchObject({
    type: "finish",
    blocks: [{ type: "text", text: "Hi." }],
  });

  expect(google.proxy.seen).toEqual([
    "CONNECT oauth2.googleapis.com:443",
    "CONNECT aiplatform.googleapis.com:443",
  ]);
  const [asked, request] = google.server.seen;
  expect(new URLSearchParams(asked?.body).get("refresh_token")).toBe("1//refresh");
  expect(request?.headers.authorization).toBe("Bearer ya29.of-the-login");
});

test("control: without the authority, the login is refused as untrusted, and nothing is sent", async () => {
  await using google = await googleBehindProxy([login, hi]);
  const { SSL_CERT_FILE: _, ...env } = google.env;

  expect(await answer(env)).toMatchObject({ failure: { kind: "untrusted" } });
  expect(google.server.seen).toEqual([]);
});

const over = { status: 400, type: json, body: '{"error":"invalid_grant"}' };

test.each([
  ["is over", {}, "invalid_grant"],
  ["is not there", { GOOGLE_APPLICATION_CREDENTIALS: "/none.json" }, "open '/none.json'"],
])("a login that %s is told with how to log in", async (_, change, reason) => {
  await using google = await googleBehindProxy([over]);

  expect(await answer({ ...google.env, ...change })).toMatchObject({
    failure: {
      kind: "bad-key",
      message: expect.stringMatching(new RegExp(`^Vertex AI has no credentials: .*${reason}`)),
      hint: expect.stringContaining("gcloud auth application-default login"),
    },
  });
});
