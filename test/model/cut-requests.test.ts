import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import type { Utterance } from "../../src/model/model.ts";
import { openModel } from "../../src/model/open-model.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { reply, says } from "../../src/testing/scripted-model.ts";
import { collect, lastOf } from "./ai-sdk-support.ts";

const long: Utterance[] = [{ type: "input", texts: ["All work and no play. ".repeat(2_000)] }];

test("a local server that reads far less than it was sent is reported once, with what to do", async () => {
  await using server = await ProviderServer.start();
  server.replyWith(() => reply([says("Hi")], { usage: { input_tokens: 4_096 } }));
  const model = await openModel("ollama/qwen3", {
    env: { OLLAMA_HOST: server.url },
    clock: systemClock,
  });

  const warnings = [await warningOf(model, long), await warningOf(model, long)];

  expect(warnings).toEqual([
    expect.stringMatching(
      /^Ollama read only 4096 tokens of a request of about 12\d{3}, .*OLLAMA_CONTEXT_LENGTH=/,
    ),
    undefined,
  ]);
});

test.each([
  ["reads about what it was sent", "ollama/qwen3", 11_000, long],
  ["reports no tokens", "ollama/qwen3", 0, long],
  ["was sent little", "ollama/qwen3", 10, [{ type: "input", texts: ["Hello."] }]],
  ["refuses what is too long", "vllm/qwen3", 4_096, long],
] as const)("a server that %s is not reported", async (_, id, input_tokens, conversation) => {
  await using server = await ProviderServer.start();
  server.reply(reply([says("Hi")], { usage: { input_tokens } }));
  const env = { OLLAMA_HOST: server.url, VLLM_BASE_URL: `${server.url}/v1` };

  const model = await openModel(id, { env, clock: systemClock });

  expect(await warningOf(model, conversation)).toBeUndefined();
});

async function warningOf(
  model: Awaited<ReturnType<typeof openModel>>,
  conversation: readonly Utterance[],
): Promise<string | undefined> {
  const end = lastOf(await collect(model, { conversation }));
  if (end?.type !== "finish") throw new Error(JSON.stringify(end));
  return end.usageWarning;
}
