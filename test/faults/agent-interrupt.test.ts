import { expect, test } from "vitest";
import { collect } from "../../src/testing/conformance/model.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says, thinks } from "../../src/testing/scripted-model.ts";
import { TestAgent, testTool } from "../support/agent.ts";
import { followScript, modelOnWire } from "../support/agent-on-wire.ts";

/** Interrupts a run at its n-th event, and lets the person go on. */
async function interruptAt(event: number, id: string) {
  await using server = await ProviderServer.start({ strict: true });
  followScript(server, [
    () =>
      reply([
        thinks("hm"),
        says("I work."),
        calls("work", { value: "a" }),
        calls("work", { value: "b" }),
      ]),
    () => reply([calls("read", { value: "c" }), calls("read", { value: "d" })]),
    () => says("Done."),
  ]);
  const tool = (name: string) =>
    testTool(name, (value, signal) => (signal.aborted ? "interrupted" : `did ${value}`));
  await using member = await TestAgent.open(await modelOnWire(server, id), {
    tools: [tool("work"), tool("read")],
    permissions: {
      judge: async ({ tool }) => ({ decision: "allow", reason: "", isReadOnly: tool === "read" }),
    },
  });
  await member.tell("Go.");
  const person = new AbortController();
  let seen = 0;
  const first = await member.run(person.signal, () => {
    if (++seen === event) person.abort();
  });
  await member.tell("Go on.");
  const second = await member.run();
  return { first, second, refusals: server.refusals, seen };
}

test.each(["anthropic/scripted", "openai/gpt-6-sol"])(
  "a run of %s that is interrupted at any point leaves a valid conversation",
  async (id) => {
    const { seen: events } = await interruptAt(Number.POSITIVE_INFINITY, id);
    let interrupted = 0;
    for (let event = 1; event < events; event++) {
      const { first, second, refusals } = await interruptAt(event, id);

      expect(refusals, `event ${event}`).toEqual([]);
      expect(second.end?.outcome, `event ${event}`).toBe("done");
      if (first.end?.outcome === "interrupted") interrupted++;
    }
    expect(interrupted).toBeGreaterThan(10);
  },
);

test.each(["anthropic/scripted", "openai/gpt-6-sol"])(
  "control: %s is refused if an interrupted call has no answer",
  async (id) => {
    await using server = await ProviderServer.start({ strict: true });
    const model = await modelOnWire(server, id);

    await collect(model, {
      conversation: [
        { type: "input", texts: ["Go."] },
        { type: "reply", blocks: [calls("work", { value: "a" })] },
        { type: "input", texts: ["Go on."] },
      ],
    });

    expect(server.refusals).toHaveLength(1);
  },
);
