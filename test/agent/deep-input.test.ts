import { expect, test } from "vitest";
import { RawJson } from "../../src/testing/provider-server/provider-api.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { TestAgent, testTool } from "../support/agent.ts";
import { modelOnWire } from "../support/agent-on-wire.ts";

function nested(levels: number): RawJson {
  const lists = "[".repeat(levels) + "]".repeat(levels);
  return new RawJson(`{"value":"x","extra":${lists}}`);
}

test.each(["anthropic/scripted", "openai/gpt-6-sol"])(
  "P25 a call of %s whose input is nested too deeply is an error for the model, and the run continues",
  async (id) => {
    await using server = await ProviderServer.start({ strict: true });
    server.reply(calls("look", nested(20_000), "call_1"), says("I see."));
    const tools = [testTool("look", () => "It was run.")];
    await using test = await TestAgent.open(await modelOnWire(server, id), { tools });
    await test.tell("Begin.");

    const { events, end } = await test.run();

    expect(end).toMatchObject({ outcome: "done", answers: ["I see."] });
    const [result] = events.filter(({ type }) => type === "tool-result");
    expect(result).toMatchObject({
      is_error: true,
      output: expect.stringContaining("it is nested more than 100 levels deep"),
    });
    for await (const entry of test.member.transcript.entries()) {
      expect(JSON.stringify(entry).length).toBeLessThan(3_000);
    }
  },
);

test("control: a call whose input is nested 99 levels deep is run", async () => {
  await using server = await ProviderServer.start({ strict: true });
  server.reply(calls("look", nested(99), "call_1"), says("I see."));
  const tools = [testTool("look", () => "It was run.")];
  await using test = await TestAgent.open(await modelOnWire(server), { tools });
  await test.tell("Begin.");

  const { events } = await test.run();

  expect(events.find(({ type }) => type === "tool-result")).toMatchObject({
    is_error: false,
    output: "It was run.",
  });
});
