import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { openModel } from "../../src/model/open-model.ts";
import type { StopReason } from "../../src/protocol/transcript.ts";
import {
  type ModelFixture,
  type ModelScript,
  testModel,
} from "../../src/testing/conformance/model.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { collect, lastOf, serverEnvironment } from "./ai-sdk-support.ts";

const common: readonly StopReason[] = ["end", "length", "refusal", "other"];

testModel(
  "AiSdkModel of Anthropic",
  { stops: [...common, "pause", "overflow"], thinks: true },
  (script) => open("anthropic/claude-sonnet-5", script),
);

testModel("AiSdkModel of OpenAI", { stops: common, thinks: true }, (script) =>
  open("openai/gpt-6-sol", script),
);

testModel("AiSdkModel of OpenAI-compatible", { stops: common, thinks: true }, (script) =>
  open("openai-compatible/llama", script),
);

test.each(["anthropic/claude-sonnet-5", "openai/gpt-6-sol", "openai-compatible/llama"])(
  "blank texts of %s are dropped, since no provider accepts them back",
  async (id) => {
    const call = calls("list", {}, "call_1");
    await using fixture = await open(id, [reply([says("\n\n"), call])]);

    expect(lastOf(await collect(fixture.model))).toMatchObject({ blocks: [call] });
  },
);

async function open(id: string, script: ModelScript): Promise<ModelFixture> {
  const server = await ProviderServer.start({ strict: true });
  server.reply(...script);
  const model = await openModel(id, { env: serverEnvironment(server), clock: systemClock });
  return { model, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
