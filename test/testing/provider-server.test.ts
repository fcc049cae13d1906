import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import {
  breaksOff,
  cut,
  inPieces,
  raw,
  type ScriptedAnswer,
  stall,
  status,
  streamText,
} from "../../src/testing/provider-server/answers.ts";
import { RawJson } from "../../src/testing/provider-server/provider-api.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says, thinks, thinksInSecret } from "../../src/testing/scripted-model.ts";
import { askAnthropic, askOpenAi } from "./requests.ts";

const text = "Grüße 👋, a text that takes more than one delta to say in full";
const manyBlocks = reply(
  [
    thinks("a thought", "signed"),
    says(text),
    calls("bash", { command: "echo '👋' && echo this is a long command line" }, "call_1"),
    calls("list", {}, "call_2"),
  ],
  { usage: { input_tokens: 7, output_tokens: 8, cache_read_tokens: 9 } },
);

test.each([
  ["whole", manyBlocks],
  ["one byte at a time", inPieces(manyBlocks, 1)],
])("an Anthropic client understands a reply that comes %s", async (_, answer) => {
  await using server = await ProviderServer.start();
  server.reply(answer);

  const parts = await readAll(anthropic(server));

  expect(parts).toMatchObject({ text, thoughts: "a thought" });
  expect(parts.calls).toEqual([
    {
      id: "call_1",
      name: "bash",
      input: '{"command":"echo \'👋\' && echo this is a long command line"}',
    },
    { id: "call_2", name: "list", input: "{}" },
  ]);
  expect(parts.finish).toMatchObject({
    finishReason: { unified: "tool-calls", raw: "tool_use" },
    usage: { inputTokens: { noCache: 7, cacheRead: 9 }, outputTokens: { total: 8 } },
  });
  server.assertDone();
});

test.each([
  ["whole", manyBlocks],
  ["one byte at a time", inPieces(manyBlocks, 1)],
])("an OpenAI client understands a reply that comes %s", async (_, answer) => {
  await using server = await ProviderServer.start();
  server.reply(answer);

  const parts = await readAll(openAi(server));

  expect(parts).toMatchObject({ text, thoughts: "a thought" });
  expect(parts.calls.map(({ id, input }) => ({ id, input }))).toEqual([
    { id: "call_1", input: '{"command":"echo \'👋\' && echo this is a long command line"}' },
    { id: "call_2", input: "{}" },
  ]);
  expect(parts.finish).toMatchObject({
    finishReason: { unified: "tool-calls", raw: "tool_calls" },
    usage: { inputTokens: { total: 16, cacheRead: 9 }, outputTokens: { total: 8 } },
  });
});

test("a thought has its signature, and a redacted one its data", async () => {
  await using server = await ProviderServer.start();
  server.reply(reply([thinks("hm", "signed"), thinksInSecret("sealed"), says("done")]));

  const body = await (await askAnthropic(server)).text();

  expect(body).toContain('{"type":"signature_delta","signature":"signed"}');
  expect(body).toContain('{"type":"redacted_thinking","data":"sealed"}');
});

test("OpenAI reports usage only on request", async () => {
  await using server = await ProviderServer.start();
  server.replyWith(() => says("hi"));

  const without = await (await askOpenAi(server)).text();
  const stream_options = { include_usage: true };
  const withUsage = await (await askOpenAi(server, { body: { stream_options } })).text();

  expect(without).not.toContain("prompt_tokens");
  expect(withUsage).toContain('"prompt_tokens":10');
  expect(withUsage).toMatch(/data: \[DONE\]\n\n$/);
});

test("requests are kept with headers, body and text", async () => {
  await using server = await ProviderServer.start();
  server.replyWith((request) => says(`you asked ${request.body.model}`));

  const response = await askAnthropic(server, { headers: { "x-custom": "yes" } });

  expect(await response.text()).toContain("you asked claude-test");
  const [request] = server.requests;
  expect(request).toMatchObject({ api: "anthropic", headers: { "x-custom": "yes" } });
  expect(request?.body.messages).toEqual([{ role: "user", content: "hello" }]);
  expect(JSON.parse(request?.text ?? "")).toEqual(request?.body);
  expect(request?.answeredAt).toBeGreaterThanOrEqual(request?.at ?? Number.POSITIVE_INFINITY);
});

test("a status has the message of each API, or the given one", async () => {
  await using server = await ProviderServer.start();
  server.reply(status(429, undefined, { "retry-after": "7" }), status(429), status(502, "<html>"));

  const limited = await askAnthropic(server);
  expect(limited.status).toBe(429);
  expect(limited.headers.get("retry-after")).toBe("7");
  expect(await limited.json()).toMatchObject({
    type: "error",
    error: { type: "rate_limit_error" },
  });
  expect(await (await askOpenAi(server)).json()).toMatchObject({
    error: { code: "rate_limit_exceeded" },
  });
  expect(await (await askOpenAi(server)).text()).toBe("<html>");
});

test("an unusual stop reason, raw bytes and broken JSON are sent as written", async () => {
  await using server = await ProviderServer.start();
  server.reply(reply([says("…")], { stop: "other", rawStop: "lunch_break" }));
  server.reply(raw("event: nonsense\n\n"));
  server.reply(calls("bash", new RawJson('{"command": "l')));

  expect(await (await askAnthropic(server)).text()).toContain('"stop_reason":"lunch_break"');
  expect(await (await askAnthropic(server)).text()).toBe("event: nonsense\n\n");
  expect(await (await askOpenAi(server)).text()).toContain(
    JSON.stringify({ arguments: '{"command": "l' }),
  );
});

test("a broken reply has an error event in its middle", async () => {
  await using server = await ProviderServer.start();
  server.reply(breaksOff(says("hello"), "Overloaded"));

  const body = await (await askAnthropic(server)).text();

  expect(body).toContain(
    '"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}',
  );
  expect(body).not.toContain("message_stop");
});

test("an answer is cut after exactly the given number of bytes, with a clean end or a broken one", async () => {
  await using server = await ProviderServer.start();
  const whole = streamText("openai", raw("data: [DONE]\n\n"));
  server.reply(cut(raw(whole), 6), cut(raw(whole), 6, "broken"));

  expect(await (await askOpenAi(server)).text()).toBe("data: ");
  const broken = await askOpenAi(server);

  await expect(broken.text()).rejects.toThrow("terminated");
});

test.each<[string, ScriptedAnswer]>([
  ["before its headers", stall(says("late"), "nothing")],
  ["after its headers", stall(says("late"), 0)],
  ["in the middle", stall(says("late"), 50)],
])("an answer that stalls %s is completed when it is released", async (_, answer) => {
  await using server = await ProviderServer.start();
  server.reply(answer);

  const response = askAnthropic(server);
  await server.until(() => server.stalled === 1);
  server.release();

  expect(await (await response).text()).toContain("message_stop");
  expect(server).toMatchObject({ stalled: 0, abandoned: 0 });
});

test("the server detects that a client does not wait for a stalled answer", async () => {
  await using server = await ProviderServer.start();
  server.reply(stall(says("late"), 50));
  const response = await askAnthropic(server);

  await response.body?.cancel();
  await server.until(() => server.abandoned === 1);

  expect(server.stalled).toBe(0);
});

test("a request without an answer is refused, and the script is not done", async () => {
  await using server = await ProviderServer.start();
  server.reply(says("only one"));
  await (await askAnthropic(server)).text();

  server.assertDone();
  const response = await askAnthropic(server);

  expect(response.status).toBe(400);
  expect(() => server.assertDone()).toThrow("Unexpected request 2");
});

test("an unused answer means the script is not done", async () => {
  await using server = await ProviderServer.start();
  server.reply(says("unused"));

  expect(() => server.assertDone()).toThrow("Unused answers: 1");
});

test("a request of another API is refused and not recorded as one", async () => {
  await using server = await ProviderServer.start();
  const post = (path: string, body: string) => fetch(server.url + path, { method: "POST", body });

  expect((await post("/v1/messages", "{")).status).toBe(400);
  expect((await post("/v1/messages", '{"messages":[]}')).status).toBe(400);
  expect((await post("/v1/embeddings", "{}")).status).toBe(404);

  expect(server.requests).toEqual([]);
  expect(server.refusals).toHaveLength(3);
});

function anthropic(server: ProviderServer): LanguageModelV3 {
  return createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "secret" })("claude-test");
}

function openAi(server: ProviderServer): LanguageModelV3 {
  return createOpenAICompatible({
    name: "local",
    baseURL: `${server.url}/v1`,
    apiKey: "secret",
    includeUsage: true,
  })("gpt-test");
}

async function readAll(model: LanguageModelV3) {
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }];
  const { stream } = await model.doStream({ prompt });
  const parts: LanguageModelV3StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return {
    text: joined(parts, "text-delta"),
    thoughts: joined(parts, "reasoning-delta"),
    calls: parts.flatMap((part) =>
      part.type === "tool-call"
        ? [{ id: part.toolCallId, name: part.toolName, input: part.input }]
        : [],
    ),
    finish: parts.at(-1),
  };
}

function joined(
  parts: readonly LanguageModelV3StreamPart[],
  type: "text-delta" | "reasoning-delta",
): string {
  return parts.map((part) => (part.type === type ? part.delta : "")).join("");
}
