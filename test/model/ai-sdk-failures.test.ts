import { describe, expect, test } from "vitest";
import { type FailureKind, isRetryable } from "../../src/model/model-failure.ts";
import { openModel } from "../../src/model/open-model.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import {
  breaksOff,
  raw,
  status,
  streamText,
  wires,
} from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { reply, says } from "../../src/testing/scripted-model.ts";
import { collect, failureOf, lastOf, serverEnvironment } from "./ai-sdk-support.ts";

const ids = ["anthropic/claude-sonnet-5", "openai/gpt-6-sol", "openai-compatible/llama"];

function apiOf(id: string): keyof typeof wires {
  if (id.startsWith("anthropic")) return "anthropic";
  return id.startsWith("openai/") ? "openai-responses" : "openai";
}

describe.each(ids)("P17 %s", (id) => {
  const statuses: [number, FailureKind][] = [
    [400, "bad-request"],
    [401, "bad-key"],
    [402, "no-credit"],
    [403, "bad-key"],
    [404, "unknown-model"],
    [408, "server"],
    [409, "server"],
    [413, "too-long"],
    [422, "bad-request"],
    [429, "rate-limited"],
    [500, "server"],
    [502, "server"],
    [503, "overloaded"],
    [529, "overloaded"],
  ];
  test.each(statuses)("a status of %i is reported as %s", async (code, kind) => {
    const failure = await failureOf(id, status(code));

    expect(failure.kind).toBe(kind);
    expect(failure.message).toContain(`(${code})`);
  });

  test("a status without a readable body is reported too", async () => {
    const html = "<html>Bad gateway</html>";
    expect(await failureOf(id, status(502, html))).toMatchObject({ kind: "server" });
    expect(await failureOf(id, status(429, ""))).toMatchObject({ kind: "rate-limited" });
  });

  test("an error inside the stream fails the reply", async () => {
    const failure = await failureOf(
      id,
      breaksOff(says("So it was that ".repeat(20)), "Overloaded"),
    );

    expect(failure.kind).toBe(id.startsWith("anthropic") ? "overloaded" : "server");
    expect(failure.message).toContain("Overloaded");
  });

  test("an error instead of the stream fails the reply", async () => {
    const api = apiOf(id);

    const failure = await failureOf(id, raw(wires[api].errorFrame("Overloaded")));

    expect(failure.kind).toBe(api === "anthropic" ? "overloaded" : "server");
    expect(failure.message).toContain("Overloaded");
  });

  test("a model that is not found names the address, and for OpenAI the API it must have", async () => {
    const { hint } = await failureOf(id, status(404));

    expect(hint).toMatch(/^Check the name .* and the base URL http:.*\/v1\./);
    expect(hint?.includes("OPENAI_COMPATIBLE_BASE_URL")).toBe(id.startsWith("openai/"));
  });

  test("a refusal with a truncated body is still that refusal", async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    const headers = { "retry-after": "3" };
    const env = serverEnvironment({ url: "http://provider.test" });
    const fetch = async () => new Response(body, { status: 429, headers });

    const model = await openModel(id, { env, clock: new ManualClock(), fetch });

    expect(lastOf(await collect(model))).toMatchObject({
      failure: { kind: "rate-limited", retryAfterMs: 3000 },
    });
  });

  test("an answer that is not an event stream is malformed", async () => {
    const text = status(200, "Hello.", { "content-type": "text/plain" });

    const failure = await failureOf(id, text);

    expect(failure).toMatchObject({ kind: "malformed", hint: expect.stringContaining("base URL") });
  });

  test("an error in place of a stream is told in the server's words, whatever its status", async () => {
    const error = { error: { message: "no such thing", type: "invalid_request_error" } };

    const failure = await failureOf(id, status(200, error));

    expect(failure).toMatchObject({
      kind: "bad-request",
      message: expect.stringMatching(/refuses the request: no such thing$/),
    });
  });

  test("an event of another form is shown without a secret, and an error in it in its words", async () => {
    const event = async (value: unknown) =>
      failureOf(id, raw(`data: ${JSON.stringify(value)}\n\ndata: [DONE]\n\n`));

    const foreign = await event({ type: "message_start", choices: "secret-key-of-the-test" });
    const error = await event({ type: "error", error: "the runner has ended" });

    expect(foreign.kind).toBe(apiOf(id) === "openai-responses" ? "cut" : "malformed");
    expect(foreign.message).not.toMatch(/secret|expected|invalid_/);
    expect(error).toMatchObject({
      kind: "server",
      message: expect.stringMatching(/ failed: the runner has ended$/),
    });
  });

  test("a web page instead of a reply is not asked for again", async () => {
    const page = status(200, "<html>Sign in</html>", {
      "content-type": "text/html; charset=utf-8",
    });

    const failure = await failureOf(id, page);

    expect(isRetryable(failure)).toBe(false);
    expect(failure.message).toContain("answered with a web page");
    expect(failure.hint).toMatch(/is the base URL of this provider's API\.$/);
  });

  test("an event that is not JSON is malformed", async () => {
    const api = apiOf(id);
    const [first] = streamText(api, says("Hi")).split("\n\n");

    const failure = await failureOf(id, raw(`${first}\n\ndata: {oops\n\ndata: [DONE]\n\n`));

    expect(failure.kind).toBe("malformed");
  });

  test("a closed port is reported with the base URL", async () => {
    const server = await ProviderServer.start();
    const { url } = server;
    await server[Symbol.asyncDispose]();

    const model = await openModel(id, {
      env: serverEnvironment({ url }),
      clock: new ManualClock(),
    });
    const end = lastOf(await collect(model));

    const message = expect.stringMatching(`${url}/v1: .*ECONNREFUSED`);
    const hint = expect.stringContaining("server is running");
    expect(end).toMatchObject({ type: "error", failure: { kind: "unreachable", message, hint } });
  });

  test.each([
    ["ENOTFOUND", "unreachable", "the host in the base URL"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "untrusted", "SSL_CERT_FILE"],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "untrusted", "SSL_CERT_FILE"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "untrusted", "SSL_CERT_FILE"],
    ["ECONNRESET", "network", "Check the network"],
  ])("a connection that fails with %s is %s, with a hint", async (code, kind, hint) => {
    const env = serverEnvironment({ url: "http://provider.test" });
    const fetch = async () => {
      throw Object.assign(new Error("fetch failed"), {
        cause: Object.assign(new Error("the reason"), { code }),
      });
    };
    const model = await openModel(id, { env, clock: new ManualClock(), fetch });

    expect(lastOf(await collect(model))).toMatchObject({
      failure: {
        kind,
        hint: expect.stringContaining(hint),
        message: expect.stringContaining("the reason"),
      },
    });
  });

  test("a redirection is not followed, and reported with its target", async () => {
    const answer = status(307, "", { location: "https://elsewhere.test/v1/chat" });

    expect(await failureOf(id, answer)).toMatchObject({
      kind: "bad-request",
      message: expect.stringContaining("redirects the request to https://elsewhere.test/v1/chat"),
      hint: expect.stringContaining("base URL"),
    });
  });

  test("P24 not even half of a key is shown where a long message is cut", async () => {
    for (let before = 470; before <= 500; before += 5) {
      const message = `${"x".repeat(before)}secret-key-of-the-test`;
      const failure = await failureOf(id, status(400, { error: { message, type: "x" } }));

      expect(failure.message).not.toContain("secret");
    }
  });

  test("a key that the server quotes is not shown", async () => {
    const quoted = { error: { message: "Wrong key: secret-key-of-the-test", type: "x" } };

    const failure = await failureOf(id, status(401, quoted));

    expect(failure.message).toContain("Wrong key: [key]");
    expect(JSON.stringify(failure)).not.toContain("secret-key-of-the-test");
  });

  const waits: [Record<string, string>, number | undefined][] = [
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }, 60_000],
    [{ "retry-after": "Thu, 01 Jan 2025 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ];
  test.each(waits)("the wait requested by %o is %o ms", async (headers, delayMs) => {
    for (const code of [429, 529]) {
      const { retryAfterMs } = await failureOf(id, status(code, undefined, headers));
      expect(retryAfterMs).toBe(delayMs);
    }
  });
});

test("failures that must not be retried come with a hint", async () => {
  const id = "anthropic/claude-sonnet-5";
  const hints = [401, 402, 404].map(async (code) => (await failureOf(id, status(code))).hint);

  expect(await Promise.all(hints)).toEqual([
    expect.stringContaining("Set ANTHROPIC_API_KEY"),
    expect.stringContaining("Add credit"),
    expect.stringContaining(id),
  ]);
});

test("P18 usage reported before the stream failed is on the bill", async () => {
  const usage = { input_tokens: 40, cache_read_tokens: 900, cache_write_tokens: 30 };
  await using server = await ProviderServer.start();
  server.reply(breaksOff(reply([says("So it was that ".repeat(20))], { usage })));
  const model = await openModel(ids[0] ?? "", {
    env: serverEnvironment(server),
    clock: new ManualClock(),
  });

  expect(lastOf(await collect(model))).toMatchObject({ type: "error", usage });
});

test("a web page at a base URL without its version has the version in its hint", async () => {
  const env = { OPENAI_COMPATIBLE_BASE_URL: "http://provider.test" };
  const headers = { "content-type": "text/html" };
  const fetch = async () => new Response("<html></html>", { status: 200, headers });

  const model = await openModel("openai-compatible/x", { env, clock: new ManualClock(), fetch });

  expect(lastOf(await collect(model))).toMatchObject({
    failure: { hint: expect.stringContaining("It may lack its version: http://provider.test/v1.") },
  });
});

test.each([
  [400, "registry.ollama.ai/library/gemma does not support tools", "a model that takes them"],
  [400, '"gemma" does not support thinking', "Leave out the effort"],
  [403, "Country, region, or territory not supported", "serves your country"],
])("a refusal (%i) because of '%s' has a hint", async (code, message, hint) => {
  const refusal = status(code, { error: { message, type: "request_forbidden" } });

  const failure = await failureOf("openai-compatible/gemma", refusal);

  expect(failure).toMatchObject({ kind: "bad-request", hint: expect.stringContaining(hint) });
  expect(failure.message).toContain("refuses the request");
});
