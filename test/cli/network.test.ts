import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { TestProxy } from "../model/network-support.ts";
import { examine } from "./examine.ts";
import { troupeIn } from "./troupe.ts";

const password = "proxy-pass-0123";

test("P24 a run goes through the proxy; its commands have the proxy, and its password is masked", async () => {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start();
  await using proxy = await TestProxy.start({ to: Number(new URL(server.url).port) });
  const command = 'echo "The proxy is $HTTP_PROXY"';
  server.reply(calls("bash", { command }), says(`It was ${password}.`));
  const env = {
    ...{ PATH: process.env.PATH ?? "", OPENAI_COMPATIBLE_BASE_URL: "http://provider.test/v1" },
    HTTP_PROXY: proxy.url.replace("//", `//ada:${password}@`),
  };

  const free = ["--permission-mode", "bypassPermissions"];
  const model = ["--model", "openai-compatible/llama"];
  const { code, out } = await troupeIn(
    { root: directory.path, env },
    "run",
    "Go.",
    ...model,
    ...free,
  );

  expect({ code, out }).toEqual({ code: 0, out: ["It was [key]."] });
  expect(proxy.seen).toHaveLength(2);
  const shown = server.requests[1]?.text ?? "";
  expect(shown).toContain("The proxy is http://ada:[key]@127.0.0.1:");
  const transcript = await readFile(join(directory.path, ".team/transcripts/lead.jsonl"), "utf8");
  expect(shown + transcript).not.toContain(password);
});

test("the doctor asks providers through the proxy", async () => {
  await using directory = await temporaryDirectory();
  await using proxy = await TestProxy.start({ refuses: 407 });
  const base = { OPENAI_COMPATIBLE_BASE_URL: "https://provider.test/v1" };
  const env = { ...base, HTTPS_PROXY: proxy.url.replace("//", `//ada:${password}@`) };

  const { about, out } = await examine(directory.path, env);

  expect(proxy.seen).toEqual([expect.stringMatching(/^CONNECT provider\.test:443 Basic /)]);
  expect(about("openai-compatible")).toMatchObject([
    {
      state: "problem",
      text: expect.stringMatching(/the proxy 127\.0\.0\.1:\d+ wants other credentials \(407\)/),
      remedy: expect.stringContaining("name and password for the proxy"),
    },
  ]);
  expect(out.join("\n")).not.toContain(password);
});

test("the doctor says which file of certificates cannot be used", async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, "none.pem");
  const env = { OPENAI_COMPATIBLE_BASE_URL: "https://provider.test/v1", SSL_CERT_FILE: file };

  const { about } = await examine(directory.path, env);

  expect(about("openai-compatible")).toMatchObject([
    { state: "problem", text: expect.stringContaining("SSL_CERT_FILE cannot be read") },
  ]);
});
