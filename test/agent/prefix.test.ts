import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { status } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says, thinks } from "../../src/testing/scripted-model.ts";
import { success, type Tool } from "../../src/tools/tool.ts";
import { TestAgent, testTool } from "../support/agent.ts";
import { modelOnWire } from "../support/agent-on-wire.ts";
import { pixel } from "../support/pixel.ts";
import { requestBlocks } from "../support/request-blocks.ts";

const look: Tool = {
  spec: { name: "look", description: "Looks.", input_schema: { type: "object", properties: {} } },
  prepare: () => ({
    type: "prepared",
    action: { type: "coordinate" },
    run: async () => ({ ...success("a pixel"), images: [pixel] }),
  }),
};

test.each(["anthropic/scripted", "openai/gpt-6-sol"])(
  "P18 every request of %s begins with the one before it, over failures and restarts",
  async (id) => {
    await using server = await ProviderServer.start({ strict: true });
    server.reply(
      reply([thinks("hm"), says("I look."), calls("look", {}), calls("echo", { value: "a" })]),
      calls("missing", {}),
      says("Done."),
      status(400),
      says("Done again."),
      calls("echo", { value: "b" }),
      says("And again."),
    );
    await using store = new MemoryTeamStore({ clock: systemClock });
    const options = { store, tools: [look, testTool("echo", (value) => value)] };
    const model = await modelOnWire(server, id);
    await using first = await TestAgent.open(model, options);
    for (const line of ["One.", "Two.", "Three."]) {
      await first.tell(line);
      await first.run();
    }
    await using second = await TestAgent.open(model, options);
    await second.tell("Four.");
    await second.run();

    server.assertDone();
    const requests = server.requests.map(({ body }) => requestBlocks(body));
    expect(requests).toHaveLength(7);
    for (const [index, blocks] of requests.slice(1).entries()) {
      const before = requests[index] ?? [];
      expect(blocks.slice(0, before.length)).toEqual(before);
      expect(blocks.length).toBeGreaterThan(before.length);
    }
  },
);
