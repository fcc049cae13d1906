import { describe, expect, test } from "vitest";
import { openModel } from "../../src/model/open-model.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { raw, streamText } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { reply, says } from "../../src/testing/scripted-model.ts";
import { collect, lastOf, serverEnvironment } from "./ai-sdk-support.ts";

const text = "So it was. ".repeat(700);
/** An estimate of the reply alone is at least this. */
const leastOutput = text.length / 5;

const usage = { input_tokens: 1234, output_tokens: 567 };
const scripted = reply([says(text)], { usage });
const chat = streamText("openai", scripted, {
  ...{ model: "scripted", messages: [] },
  stream_options: { include_usage: true },
});

const wires = [
  { id: "anthropic/claude-sonnet-5", stream: streamText("anthropic", scripted) },
  { id: "openai/gpt-6-sol", stream: streamText("openai-responses", scripted) },
  { id: "openai-compatible/llama", stream: chat },
];

/** What JSON can say in the place of a count, and a provider's SDK lets through. */
const nonsense = ["-567", "1e300", "9007199254740993", "5.5", "123456789012"];

/** The ends of two calls of one model, both answered by this stream. */
async function endsOf(id: string, stream: string) {
  await using server = await ProviderServer.start();
  server.reply(raw(stream), raw(stream));
  const model = await openModel(id, { env: serverEnvironment(server), clock: new ManualClock() });
  const ends = [lastOf(await collect(model)), lastOf(await collect(model))];
  return ends.map((end) => {
    if (end?.type !== "finish") throw new Error(`No reply, but ${JSON.stringify(end)}`);
    return end;
  });
}

describe.each(wires)("P18 $id", ({ id, stream }) => {
  test("control: plausible counts are used unchanged, without a warning", async () => {
    const [end] = await endsOf(id, stream);

    expect(end?.usage).toMatchObject(usage);
    expect(end).not.toHaveProperty("usageWarning");
  });

  test.each(nonsense)("%s tokens are estimated, with one warning", async (count) => {
    const [first, second] = await endsOf(id, stream.replaceAll(/:567\b/g, `:${count}`));

    expect(first?.usage.input_tokens).toBe(1234);
    expect(first?.usage.output_tokens).toBeGreaterThan(leastOutput);
    expect(first?.usage.output_tokens).toBeLessThan(text.length);
    expect(first?.usageWarning).toMatch(/cannot be true \(output_tokens\)/);
    expect(second?.usage).toEqual(first?.usage);
    expect(second).not.toHaveProperty("usageWarning");
  });

  test.each(nonsense)("%s prompt tokens are estimated", async (count) => {
    const [end] = await endsOf(id, stream.replaceAll(/:1234\b/g, `:${count}`));

    expect(end?.usage.output_tokens).toBe(567);
    expect(end?.usage.input_tokens).toBeGreaterThan(0);
    expect(end?.usage.input_tokens).toBeLessThan(10_000);
    expect(end?.usageWarning).toMatch(/input_tokens/);
  });
});
