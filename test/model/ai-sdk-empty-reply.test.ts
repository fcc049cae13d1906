import { expect, test } from "vitest";
import type { ModelPart } from "../../src/model/model.ts";
import { openModel } from "../../src/model/open-model.ts";
import { aiSdkModel } from "../../src/model/sdk-language-model.ts";
import type { ReplyBlock } from "../../src/protocol/transcript.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { collect, serverEnvironment } from "./ai-sdk-support.ts";

const usage = { input_tokens: 12, output_tokens: 3, cache_read_tokens: 0, cache_write_tokens: 0 };
const losing = ["google/gemini-3-pro", "openai-compatible/llama"];

test.each(losing)("P17 an empty reply of %s is requested again, and on the bill", async (id) => {
  const { parts, requests } = await ask(id, [[], [says("Here it is.")]]);

  expect(parts).toMatchObject([
    {
      type: "restart",
      failure: { message: expect.stringMatching(/sent an empty reply, which is requested again$/) },
      usage,
    },
    { type: "text-delta", text: "Here it is." },
    { type: "finish", blocks: [says("Here it is.")], usage },
  ]);
  expect(requests).toBe(2);
});

test.each(losing)("the third empty reply of %s counts: it may have nothing to say", async (id) => {
  const { parts, requests } = await ask(id, [[], [], []]);

  expect(parts.map(({ type }) => type)).toEqual(["restart", "restart", "finish"]);
  expect(parts.at(-1)).toMatchObject({ stop: "end", blocks: [] });
  expect(requests).toBe(3);
});

test.each(losing)("control: a reply of %s that only calls a tool is not empty", async (id) => {
  const { parts } = await ask(id, [[calls("list", {})]]);

  expect(parts).toMatchObject([{ type: "finish", stop: "tool-calls" }]);
});

test.each(["anthropic/claude-sonnet-5", "openai/gpt-6-sol"])(
  "an empty reply of %s counts at once",
  async (id) => {
    const { parts, requests } = await ask(id, [[]]);

    expect(parts).toMatchObject([{ type: "finish", stop: "end", blocks: [] }]);
    expect(requests).toBe(1);
  },
);

test.each([
  ["google.vertex.chat", ["restart", "restart", "finish"]],
  ["vertex.anthropic.messages", ["finish"]],
])("an empty reply of a package's %s: %j", async (provider, types) => {
  const model = aiSdkModel({
    specificationVersion: "v3",
    provider,
    modelId: "m",
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          const count = { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 };
          const output = { total: 0, text: 0, reasoning: 0 };
          controller.enqueue({
            type: "finish",
            finishReason: { unified: "stop", raw: "STOP" },
            usage: { inputTokens: count, outputTokens: output },
          });
          controller.close();
        },
      }),
    }),
  });

  expect((await collect(model)).map(({ type }) => type)).toEqual(types);
});

/** What a model makes of these replies of its server. */
async function ask(id: string, replies: readonly (readonly ReplyBlock[])[]) {
  await using server = await ProviderServer.start();
  server.reply(...replies.map((blocks) => reply(blocks, { usage })));
  const model = await openModel(id, { env: serverEnvironment(server), clock: new ManualClock() });
  const parts: ModelPart[] = await collect(model);
  return { parts, requests: server.requests.length };
}
