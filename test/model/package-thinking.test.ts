import { createVertexAnthropic } from "@ai-sdk/google-vertex/anthropic";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { packageThinking } from "../../src/model/ai-sdk/package-thinking.ts";
import type { Model, ModelRequest, ThinkingRequest, Utterance } from "../../src/model/model.ts";
import { modelFacts } from "../../src/model/model-facts.ts";
import { openModel } from "../../src/model/open-model.ts";
import { packageModel } from "../../src/model/sdk-language-model.ts";
import { unsentThinking } from "../../src/model/unsent-thinking.ts";
import { status } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says, thinks } from "../../src/testing/scripted-model.ts";
import { collect, lastOf } from "./ai-sdk-support.ts";
import { frame, realPackages, wireServer } from "./package-support.ts";

const keys = {
  ...{ AZURE_API_KEY: "k", AWS_BEARER_TOKEN_BEDROCK: "k", AWS_REGION: "eu-west-1" },
  GOOGLE_VERTEX_API_KEY: "k",
};

describe("the effort on the wire", () => {
  test.each([
    ["gpt-6-sol", { effort: "max" }, { effort: "max", summary: "auto" }],
    ["gpt-5.4", { effort: "max" }, { effort: "xhigh", summary: "auto" }],
    ["my-deployment", { effort: "high" }, { effort: "high", summary: "auto" }],
  ] as const)("of azure/%s with %j", async (model, thinking, reasoning) => {
    expect(await sent(`azure/${model}`, { thinking })).toMatchObject({
      ...{ reasoning, store: false, include: ["reasoning.encrypted_content"] },
    });
  });

  test.each([
    [{ effort: "high" }, { thinking: adaptive(), output_config: { effort: "high" } }],
    [{ effort: "none" }, { thinking: { type: "disabled" } }],
  ] as const)("of Claude since 4.6 on Bedrock with %j", async (thinking, fields) => {
    const body = await sent("bedrock/eu.anthropic.claude-sonnet-5", { thinking });

    expect(body).toMatchObject({
      additionalModelRequestFields: fields,
      inferenceConfig: { maxTokens: 32_000 },
    });
  });

  test("of Claude until 4.5 on Bedrock is a part of the longest reply, or the budget", async () => {
    const id = "bedrock/anthropic.claude-opus-4-5-20251101-v1:0";
    const body = (budget_tokens: number) => ({
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens } },
      inferenceConfig: { maxTokens: 32_000 },
    });

    expect(await sent(id, { thinking: { effort: "low" } })).toMatchObject(body(2_000));
    expect(await sent(id, { thinking: { budgetTokens: 5_000 } })).toMatchObject(body(5_000));
  });

  test.each([
    ["openai.gpt-6-sol", { reasoning: { effort: "high" } }],
    ["us.openai.gpt-oss-120b-1:0", { reasoning_effort: "high" }],
    [
      "eu.amazon.nova-2-lite-v1:0",
      { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } },
    ],
  ])("of bedrock/%s", async (model, fields) => {
    const thinking = { effort: "high" } as const;

    expect(await sent(`bedrock/${model}`, { thinking })).toMatchObject({
      additionalModelRequestFields: fields,
    });
  });

  test.each([
    ["gemini-3.5-flash", { effort: "low" }, { thinkingLevel: "low", includeThoughts: true }],
    ["gemini-2.5-pro", { budgetTokens: 2_000 }, { thinkingBudget: 2_000, includeThoughts: true }],
  ] as const)("of vertex/%s with %j", async (model, thinking, thinkingConfig) => {
    expect(await sent(`vertex/${model}`, { thinking })).toMatchObject({
      generationConfig: { thinkingConfig },
    });
  });

  test("of Claude on Vertex", async () => {
    await using server = await ProviderServer.start();
    server.reply(says("Hi."));
    const model = await claudeOnVertex(server, "claude-sonnet-5");

    await collect(model, { thinking: { effort: "max" } });

    expect(server.requests[0]?.body).toMatchObject({
      ...{ thinking: adaptive(), output_config: { effort: "max" } },
    });
  });

  test("a model of Bedrock that has no such setting is sent none, and the person is told", async () => {
    const id = "bedrock/deepseek.v3.2";
    const thinking = { effort: "high", budgetTokens: 2_000 } as const;

    expect(await sent(id, { thinking })).not.toHaveProperty("additionalModelRequestFields");
    expect(await unsentThinking(id, thinking, { env: keys, maxOutputTokens: 32_000 })).toEqual([
      `The effort high is not sent: ${id} cannot be asked to think.`,
      `The thinking budget is not sent: ${id} takes no number of tokens.`,
    ]);
  });
});

const call = calls("look", {}, "call_1");

test("Azure is asked once more without a summary of thoughts if it gives none, and then never for one", async () => {
  await using place = await realPackages();
  await using server = await ProviderServer.start();
  const message = "Your organization must be verified to generate reasoning summaries";
  server.reply(status(400, { error: { message } }), says("One."), says("Two."));
  const env = { ...place.env, ...keys, AZURE_BASE_URL: `${server.url}/v1` };
  const model = await openModel("azure/gpt-6-sol", { env, clock: systemClock });
  const request = { thinking: { effort: "high" } } as const;

  const parts = await collect(model, request);
  const later = await collect(model, request);

  expect(parts).toMatchObject([
    { type: "restart", failure: { message: expect.stringContaining("repeated without") } },
    { type: "text-delta" },
    { type: "finish", blocks: [{ text: "One." }] },
  ]);
  expect(lastOf(later)).toMatchObject({ type: "finish", blocks: [{ text: "Two." }] });
  expect(server.requests.map(({ body }) => body.reasoning)).toEqual([
    { effort: "high", summary: "auto" },
    { effort: "high" },
    { effort: "high" },
  ]);
  for (const { body } of server.requests) {
    expect(body.include).toContain("reasoning.encrypted_content");
  }
});

describe("thoughts go back byte for byte", () => {
  test("to Azure, encrypted", async () => {
    await using place = await realPackages();
    await using server = await ProviderServer.start();
    server.reply(reply([thinks("Hm.", "encrypted+/="), call]), says("Done."));
    const env = { ...place.env, ...keys, AZURE_BASE_URL: `${server.url}/v1` };
    const model = await openModel("azure/gpt-6-sol", { env, clock: systemClock });

    await talk(model);

    const [, second] = server.requests;
    expect(second?.body.input).toContainEqual(
      expect.objectContaining({ type: "reasoning", encrypted_content: "encrypted+/=" }),
    );
  });

  test("to Bedrock, signed and redacted", async () => {
    await using place = await realPackages();
    const at = (contentBlockIndex: number, reasoningContent: object) =>
      frame("contentBlockDelta", { contentBlockIndex, delta: { reasoningContent } });
    const body = Buffer.concat([
      frame("messageStart", { role: "assistant" }),
      at(0, { text: " Hm." }),
      at(0, { signature: "signed+/=" }),
      frame("contentBlockStop", { contentBlockIndex: 0 }),
      at(1, { redactedContent: "c2VjcmV0" }),
      frame("contentBlockStop", { contentBlockIndex: 1 }),
      frame("contentBlockStart", {
        contentBlockIndex: 2,
        start: { toolUse: { toolUseId: "call_1", name: "look" } },
      }),
      frame("contentBlockStop", { contentBlockIndex: 2 }),
      frame("messageStop", { stopReason: "tool_use" }),
      frame("metadata", { usage: { inputTokens: 12, outputTokens: 3, totalTokens: 15 } }),
    ]);
    const type = "application/vnd.amazon.eventstream";
    await using server = await wireServer(() => ({ type, body }));
    const env = { ...place.env, ...keys, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url };
    const id = "bedrock/anthropic.claude-sonnet-5";

    await talk(await openModel(id, { env, clock: systemClock }));

    expect(JSON.parse(server.seen[1]?.body ?? "").messages[1]).toMatchObject({
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: " Hm.", signature: "signed+/=" } } },
        { reasoningContent: { redactedContent: "c2VjcmV0" } },
        { toolUse: { toolUseId: "call_1" } },
      ],
    });
  });

  test("to Gemini on Vertex, with the call that they belong to", async () => {
    await using place = await realPackages();
    const parts = [
      { text: "Hm.", thought: true },
      { functionCall: { name: "look", args: {} }, thoughtSignature: "signed+/=" },
    ];
    const event = { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] };
    const body = `data: ${JSON.stringify(event)}\n\n`;
    await using server = await wireServer(() => ({ type: "text/event-stream", body }));
    const env = { ...place.env, ...keys, GOOGLE_VERTEX_BASE_URL: server.url };

    await talk(await openModel("vertex/gemini-3.5-flash", { env, clock: systemClock }));

    const { contents } = JSON.parse(server.seen[1]?.body ?? "");
    expect(contents[1].parts.at(-1)).toMatchObject({
      ...{ functionCall: { name: "look" }, thoughtSignature: "signed+/=" },
    });
  });

  test("to Claude on Vertex, signed", async () => {
    await using server = await ProviderServer.start();
    server.reply(reply([thinks("Hm.", "signed+/="), call]), says("Done."));

    await talk(await claudeOnVertex(server, "claude-sonnet-5"));

    expect(server.requests[1]?.body.messages[1]?.content).toMatchObject([
      { type: "thinking", thinking: "Hm.", signature: "signed+/=" },
      { type: "tool_use", id: "call_1" },
    ]);
  });
});

test("what Claude on Vertex writes to the cache for an hour is counted apart", async () => {
  await using server = await ProviderServer.start();
  const usage = {
    ...{ input_tokens: 3, output_tokens: 4, cache_read_tokens: 5 },
    ...{ cache_write_tokens: 60, cache_write_1h_tokens: 50 },
  };
  server.reply(reply([says("Hi.")], { usage }));

  const end = lastOf(await collect(await claudeOnVertex(server, "claude-sonnet-5")));

  expect(end).toMatchObject({ type: "finish", usage });
});

describe("Bedrock's cache", () => {
  const conversation: Utterance[] = [
    { type: "input", texts: ["Begin."] },
    { type: "reply", blocks: [call] },
    { type: "results", results: [{ call_id: "call_1", output: "Seen.", is_error: false }] },
  ];
  const cachePoint = { type: "default" };

  test("is marked where Anthropic's is: after the system prompt and the two newest messages", async () => {
    const body = await sent("bedrock/eu.anthropic.claude-sonnet-5", { system: "S.", conversation });

    expect(body).toMatchObject({
      system: [{ text: "S." }, { cachePoint }],
      messages: [
        { role: "user", content: [{ text: "Begin." }, { cachePoint }] },
        { role: "assistant", content: [{ toolUse: { toolUseId: "call_1" } }] },
        { role: "user", content: [{ toolResult: { toolUseId: "call_1" } }, { cachePoint }] },
      ],
    });
  });

  test.each([
    "deepseek.v3.2",
    "meta.llama4-maverick-17b-instruct-v1:0",
    "us.anthropic.claude-3-5-haiku-20241022-v1:0",
  ])("is not marked for %s, which would refuse it", async (model) => {
    const body = await sent(`bedrock/${model}`, { conversation });

    expect(JSON.stringify(body)).not.toContain("cachePoint");
  });
});

function adaptive() {
  return { type: "adaptive", display: "summarized" };
}

/** A first turn with a call, and a second one with its result. */
async function talk(model: Model): Promise<void> {
  const tools = [{ name: "look", description: "Looks.", input_schema: { type: "object" } }];
  const input: Utterance = { type: "input", texts: ["Look."] };
  const first = lastOf(await collect(model, { tools, conversation: [input] }));
  if (first?.type !== "finish") throw new Error("There was no reply");
  const results = [{ call_id: "call_1", output: "Seen.", is_error: false }];
  const replied: Utterance = { type: "reply", model: model.id, blocks: first.blocks };
  await collect(model, { tools, conversation: [input, replied, { type: "results", results }] });
}

async function claudeOnVertex(server: ProviderServer, name: string): Promise<Model> {
  const id = `vertex/${name}`;
  const vertex = createVertexAnthropic({
    ...{ project: "p", location: "l", generateAuthToken: async () => "token" },
    fetch: (_, init) => fetch(`${server.url}/v1/messages`, withModel(init, name)),
  });
  const facts = await modelFacts(id);
  const thinking = packageThinking("@ai-sdk/google-vertex/anthropic", name, facts);
  return packageModel(vertex(name), { id, ...(thinking && { thinking }) });
}

/** On Vertex the model is in the path. */
function withModel(init: RequestInit | undefined, model: string): RequestInit {
  return { ...init, body: JSON.stringify({ model, ...JSON.parse(String(init?.body)) }) };
}

/** The body of the request that a model makes. */
async function sent(
  id: string,
  request: Partial<ModelRequest> & { thinking?: ThinkingRequest },
): Promise<unknown> {
  await using place = await realPackages();
  await using server = await wireServer(() => ({
    ...{ status: 400, type: "application/json", body: "{}" },
  }));
  const env = {
    ...{ ...place.env, ...keys, AZURE_BASE_URL: `${server.url}/v1` },
    ...{ AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url, GOOGLE_VERTEX_BASE_URL: server.url },
  };
  const model = await openModel(id, { env, clock: systemClock });
  await collect(model, { maxOutputTokens: 32_000, ...request });
  return JSON.parse(server.seen[0]?.body ?? "");
}
