import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { WakeLatch } from "../../src/lib/wake-latch.ts";
import type { ModelPart } from "../../src/model/model.ts";
import { aiSdkModel } from "../../src/model/sdk-language-model.ts";
import { testModel } from "../../src/testing/conformance/model.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { cut, status } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { collect, lastOf } from "./ai-sdk-support.ts";

const key = "secret-key-of-the-test";

/** Models as a user gets them from packages of the AI SDK, which send the requests themselves. */
const packages = {
  anthropic: (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey: key })("scripted"),
  compatible: (url: string) =>
    createOpenAICompatible({
      ...{ name: "groq", baseURL: `${url}/v1`, apiKey: key, includeUsage: true },
    })("scripted"),
};

testModel(
  "A model of another package, such as Anthropic's",
  { stops: ["end", "length", "tool-calls"], thinks: true },
  async (script) => {
    const server = await ProviderServer.start({ strict: true });
    server.reply(...script);
    const model = aiSdkModel(packages.anthropic(server.url));
    return { model, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
);

testModel(
  "A model of another package, such as those of compatible servers",
  { stops: ["end", "length", "tool-calls"], thinks: false },
  async (script) => {
    const server = await ProviderServer.start({ strict: true });
    server.reply(...script);
    const model = aiSdkModel(packages.compatible(server.url));
    return { model, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
);

test("the id is the provider's name and the model's, or the one that is given", () => {
  const model = packages.compatible("http://localhost");

  expect(aiSdkModel(model).id).toBe("groq/scripted");
  expect(aiSdkModel(model, { id: "fast" }).id).toBe("fast");
});

test("a model of an older SDK is refused", () => {
  const old: LanguageModelV3 = Object.assign(packages.anthropic("http://localhost"), {});
  Object.defineProperty(old, "specificationVersion", { value: "v2" });

  expect(() => aiSdkModel(old)).toThrow(expect.objectContaining({ code: "config-invalid" }));
});

test.each([
  [429, "rate-limited"],
  [529, "overloaded"],
  [500, "server"],
  [401, "bad-key"],
])("an answer with the status %i is a failure of the kind %s", async (code, kind) => {
  await using server = await ProviderServer.start();
  server.reply(status(code, "", { "retry-after": "7" }));

  const parts = await collect(aiSdkModel(packages.anthropic(server.url)));

  expect(lastOf(parts)).toMatchObject({ type: "error", failure: { kind } });
  expect(JSON.stringify(parts)).not.toContain(key);
});

test("a server that is not there, and a reply that is cut, are reported as that", async () => {
  await using server = await ProviderServer.start();
  server.reply(cut(says("Good morning to all of you."), 400));
  const parts = await collect(aiSdkModel(packages.anthropic(server.url)));
  const { url } = server;
  await server[Symbol.asyncDispose]();
  const unreached = await collect(aiSdkModel(packages.anthropic(url)));

  expect(lastOf(parts)).toMatchObject({ type: "error", failure: { kind: "cut" } });
  expect(lastOf(unreached)).toMatchObject({ type: "error", failure: { kind: "unreachable" } });
});

test("a key that is missing is an error that is not retried", async () => {
  const model = createAnthropic({ baseURL: "http://localhost", apiKey: "" });
  const refusing = Object.assign(model("scripted"), {
    doStream: async () => {
      throw new Error("The key is missing");
    },
  });

  expect(lastOf(await collect(aiSdkModel(refusing)))).toMatchObject({
    type: "error",
    failure: { kind: "bad-request", message: expect.stringContaining("The key is missing") },
  });
});

test("data of the package go back unchanged, under whatever name it uses", async () => {
  const prompts: unknown[] = [];
  const model = fake((options) => {
    prompts.push(options.prompt);
    return [
      { type: "reasoning-start", id: "1", providerMetadata: { vertex: { signature: "s1" } } },
      { type: "reasoning-delta", id: "1", delta: "Hm." },
      { type: "reasoning-end", id: "1" },
      { type: "tool-call", toolCallId: "c1", toolName: "look", input: "{}" },
      finish("tool-calls", "TOOL_CALL"),
    ];
  });

  const first = lastOf(await collect(model));
  if (first?.type !== "finish") throw new Error("no reply");
  const results = [{ call_id: "c1", output: "seen", is_error: false }];
  const conversation = [
    { type: "input", texts: ["Look."] },
    { type: "reply", blocks: first.blocks },
    { type: "results", results },
  ] as const;
  await collect(model, { conversation });

  expect(first).toMatchObject({
    stop: "tool-calls",
    usage: { input_tokens: 60, output_tokens: 5, cache_read_tokens: 40, cache_write_tokens: 0 },
  });
  expect(prompts[1]).toContainEqual(
    expect.objectContaining({
      role: "assistant",
      content: [
        expect.objectContaining({
          type: "reasoning",
          text: "Hm.",
          providerOptions: { vertex: { signature: "s1" } },
        }),
        expect.objectContaining({ type: "tool-call" }),
      ],
    }),
  );
});

test("a stream that ends without a reason is cut, and one that hangs is stopped in time", async () => {
  const clock = new ManualClock();
  const cutModel = fake(() => [finish("other", undefined)]);
  const hanging = fake(() => "hangs", { clock });

  let end: ModelPart | undefined;
  const begun = new WakeLatch();
  const collected = collect(hanging, {}, () => begun.wake()).then((parts) => {
    end = lastOf(parts);
  });
  await begun.next();
  await clock.advanceUntil(() => end !== undefined);
  await collected;

  expect(lastOf(await collect(cutModel))).toMatchObject({ failure: { kind: "cut" } });
  expect(end).toMatchObject({ failure: { kind: "stalled" } });
});

type Answer = LanguageModelV3StreamPart[] | "hangs";

function fake(
  answer: (options: { prompt: unknown }) => Answer,
  options: Parameters<typeof aiSdkModel>[1] = {},
) {
  const model: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: "google.vertex.chat",
    modelId: "gemini",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not used")),
    doStream: async (call) => ({ stream: streamOf(answer(call)) }),
  };
  return aiSdkModel(model, options);
}

const beginning: LanguageModelV3StreamPart[] = [
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "Wait" },
];

function streamOf(answer: Answer): ReadableStream<LanguageModelV3StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of answer === "hangs" ? beginning : answer) controller.enqueue(part);
      if (answer !== "hangs") controller.close();
    },
  });
}

function finish(unified: "tool-calls" | "other", raw: string | undefined) {
  const inputTokens = { total: 100, noCache: undefined, cacheRead: 40, cacheWrite: 0 };
  const outputTokens = { total: 5, text: 5, reasoning: undefined };
  const usage = { inputTokens, outputTokens };
  return { type: "finish", finishReason: { unified, raw }, usage } as const;
}
