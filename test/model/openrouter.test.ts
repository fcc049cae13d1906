import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import type { FinishPart, Utterance } from "../../src/model/model.ts";
import { openModel } from "../../src/model/open-model.ts";
import { raw } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { collect, lastOf, serverEnvironment } from "./ai-sdk-support.ts";

const gemini = "openrouter/google/gemini-3-pro";
const claude = "openrouter/anthropic/claude-sonnet-5";

const call = {
  tool_calls: [
    { index: 0, id: "call_1", type: "function", function: { name: "bash", arguments: "{}" } },
  ],
};

test("the details of thoughts are stored, and sent back unchanged with the call that they belong to", async () => {
  const text = { type: "reasoning.text", format: "unknown", index: 0 };
  const encrypted = {
    ...{ type: "reasoning.encrypted", id: "call_1", format: "google-gemini-v1", index: 1 },
    data: "CiQB+/== \u2028 é",
  };
  const stream = events(
    { reasoning: "I look", reasoning_details: [{ ...text, text: "I look", id: null }] },
    { reasoning: " at it.", reasoning_details: [{ ...text, text: " at it." }] },
    { reasoning_details: [{ ...text, text: null, signature: "sig" }] },
    { reasoning_details: [{ ...text, text: null, signature: null }] },
    { ...call, reasoning_details: [encrypted] },
  );

  const { end, next } = await twoTurns(gemini, stream);

  const details = [{ ...text, text: "I look at it.", id: null, signature: "sig" }, encrypted];
  expect(end.blocks).toEqual([
    {
      type: "thinking",
      text: "I look at it.",
      provider: { openrouter: { reasoning_details: details } },
    },
    expect.objectContaining({ type: "tool-call", call_id: "call_1" }),
  ]);
  expect(next[2]).toMatchObject({ role: "assistant", reasoning_details: details });
  expect(next[2]).not.toHaveProperty("reasoning_content");
});

test("details without a text are stored and sent back too", async () => {
  const detail = { type: "reasoning.encrypted", data: "gAAA", format: "openai-responses-v1" };

  const { end, next } = await twoTurns(
    gemini,
    events({ ...call, reasoning: null, reasoning_details: [detail] }),
  );

  expect(end.blocks[0]).toEqual({
    type: "thinking",
    text: "",
    provider: { openrouter: { reasoning_details: [detail] } },
  });
  expect(next[2]).toMatchObject({ role: "assistant", reasoning_details: [detail] });
});

test("two encrypted thoughts, and thoughts of two indexes, stay apart", async () => {
  const summary = { type: "reasoning.summary", format: "openai-responses-v1" };
  const encrypted = { type: "reasoning.encrypted", format: "openai-responses-v1", index: 0 };
  const pieces = [
    { ...summary, summary: "One ", index: 0 },
    { ...summary, summary: "thought.", index: 0 },
    { ...summary, summary: "Another.", index: 1 },
    { ...encrypted, data: "a" },
    { ...encrypted, data: "b" },
  ];

  const { next } = await twoTurns(
    gemini,
    events(...pieces.map((piece) => ({ reasoning_details: [piece] })), call),
  );

  expect(next[2]).toMatchObject({
    reasoning_details: [{ ...pieces[0], summary: "One thought." }, ...pieces.slice(2)],
  });
});

test("a thought of Claude's without its signature is stored, but not sent back", async () => {
  const detail = { type: "reasoning.text", text: "Cut", format: "anthropic-claude-v1" };

  const { end, next } = await twoTurns(claude, events({ ...call, reasoning_details: [detail] }));

  expect(end.blocks[0]).toMatchObject({
    provider: { openrouter: { reasoning_details: [detail] } },
  });
  expect(next[2]).not.toHaveProperty("reasoning_details");
});

test("another provider is not sent the details", async () => {
  const detail = { type: "reasoning.encrypted", data: "gAAA" };
  const { end } = await twoTurns(gemini, events({ ...call, reasoning_details: [detail] }));
  await using server = await ProviderServer.start({ strict: true });
  server.reply(says("Done."));
  const env = serverEnvironment(server);

  const model = await openModel("openai-compatible/llama", { env, clock: systemClock });
  await collect(model, { conversation: afterCall(end) });

  expect(JSON.stringify(server.requests[0]?.body)).not.toContain("gAAA");
});

test("requests for Claude are marked for the cache: the whole, and the system prompt", async () => {
  const bodies = await Promise.all([claude, gemini].map(requestBody));

  const mark = { type: "ephemeral" };
  expect(bodies[0]).toMatchObject({
    cache_control: mark,
    messages: [
      { role: "system", content: [{ type: "text", text: "Be brief.", cache_control: mark }] },
      { role: "user", content: "Hello." },
    ],
  });
  expect(JSON.stringify(bodies[1])).not.toContain("cache_control");
});

test("an effort is sent in the form of chat completions", async () => {
  await using server = await ProviderServer.start({ strict: true });
  server.reply(says("Hi."));
  const model = await openModel(gemini, { env: openRouterAt(server), clock: systemClock });

  await collect(model, { thinking: { effort: "low" } });

  expect(server.requests[0]?.body).toMatchObject({ reasoning_effort: "low" });
});

const tokens = { prompt_tokens: 100, completion_tokens: 7 };
const counted = { output_tokens: 7, cache_read_tokens: 0, cache_write_tokens: 0 };

test.each([
  [
    { ...tokens, cost: 0.0123 },
    { ...counted, input_tokens: 100, cost_usd: 0.0123 },
  ],
  [tokens, { ...counted, input_tokens: 100 }],
  // With a key of the vendor's, OpenRouter charges a fee and the vendor the rest.
  [
    { ...tokens, cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.25 } },
    { ...counted, input_tokens: 100, cost_usd: 0.26 },
  ],
  [
    { ...tokens, cost: 0.01, is_byok: false, cost_details: { upstream_inference_cost: 0.01 } },
    { ...counted, input_tokens: 100, cost_usd: 0.01 },
  ],
  [
    { ...tokens, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } },
    { output_tokens: 7, input_tokens: 10, cache_read_tokens: 60, cache_write_tokens: 30 },
  ],
])("the usage %o is %o on the bill", async (usage, expected) => {
  const { end } = await twoTurns(gemini, events(call, { usage }));

  expect(end.usage).toEqual(expected);
  expect(end.usageWarning).toBeUndefined();
});

test("an impossible cost is left out, with a warning", async () => {
  const { end } = await twoTurns(gemini, events(call, { usage: { ...tokens, cost: -1 } }));

  expect(end.usage).not.toHaveProperty("cost_usd");
  expect(end.usageWarning).toContain("cost_usd");
});

/** The event stream of a reply with these deltas; one with `usage` is the usage. */
function events(...deltas: object[]): string {
  const frames = deltas.map((delta) =>
    "usage" in delta
      ? { choices: [], ...delta }
      : { choices: [{ index: 0, delta, finish_reason: null }] },
  );
  const end = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
  const lines = [...frames, end].map((data) => `data: ${JSON.stringify({ id: "gen-1", ...data })}`);
  return [...lines, "data: [DONE]", ""].join("\n\n");
}

function openRouterAt({ url }: ProviderServer): Record<string, string> {
  return { OPENROUTER_API_KEY: "sk-or-v1-of-the-test", OPENROUTER_BASE_URL: `${url}/v1` };
}

function afterCall({ blocks }: FinishPart): Utterance[] {
  return [
    { type: "input", texts: ["Hello."] },
    { type: "reply", blocks },
    { type: "results", results: [{ call_id: "call_1", output: "Done.", is_error: false }] },
  ];
}

/** The reply in `stream`, and the messages of the request that follows it. */
async function twoTurns(id: string, stream: string) {
  await using server = await ProviderServer.start({ strict: true });
  server.reply(raw(stream), says("Done."));
  const model = await openModel(id, { env: openRouterAt(server), clock: systemClock });
  const end = lastOf(await collect(model));
  if (end?.type !== "finish") throw new Error(JSON.stringify(end));
  // As the transcript keeps them.
  const stored: FinishPart = { ...end, blocks: JSON.parse(JSON.stringify(end.blocks)) };
  expect(
    lastOf(await collect(model, { system: "S", conversation: afterCall(stored) })),
  ).toMatchObject({ type: "finish" });
  const { messages } = server.requests[1]?.body ?? {};
  return { end, next: Array.isArray(messages) ? messages : [] };
}

async function requestBody(id: string): Promise<object | undefined> {
  await using server = await ProviderServer.start({ strict: true });
  server.reply(says("Hi."));
  const model = await openModel(id, { env: openRouterAt(server), clock: systemClock });
  const conversation: Utterance[] = [{ type: "input", texts: ["Hello."] }];
  await collect(model, { system: "Be brief.", conversation });
  expect(server.requests[0]?.headers.authorization).toBe("Bearer sk-or-v1-of-the-test");
  return server.requests[0]?.body;
}
