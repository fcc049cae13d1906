import { expect, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/lib/clock.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { status } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says, thinks } from "../../src/testing/scripted-model.ts";
import { success, type Tool } from "../../src/tools/tool.ts";
import { TestAgent, testTool } from "../support/agent.ts";
import { modelOnWire } from "../support/agent-on-wire.ts";

/** A picture of one pixel. */
const pixel = {
  media_type: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

const look: Tool = {
  spec: { name: "look", description: "Looks.", input_schema: { type: "object", properties: {} } },
  prepare: () => ({
    type: "prepared",
    action: { type: "coordinate" },
    run: async () => ({ ...success("a pixel"), images: [pixel] }),
  }),
};

test.each(["anthropic/scripted", "openai/scripted"])(
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
    const store = new MemoryTeamStore({ clock: systemClock });
    const options = { store, tools: [look, testTool("echo", (value) => value)] };
    const model = await modelOnWire(server, id);
    const first = await TestAgent.open(model, options);
    for (const line of ["One.", "Two.", "Three."]) {
      await first.tell(line);
      await first.run();
    }
    await using second = await TestAgent.open(model, options);
    await second.tell("Four.");
    await second.run();

    server.assertDone();
    const requests = server.requests.map(({ body }) => blocksOf(body));
    expect(requests).toHaveLength(7);
    for (const [index, blocks] of requests.slice(1).entries()) {
      const before = requests[index] ?? [];
      expect(blocks.slice(0, before.length)).toEqual(before);
      expect(blocks.length).toBeGreaterThan(before.length);
    }
  },
);

/** System, tools and all content blocks of a request in their order, without marks for the cache. */
function blocksOf(body: object): string[] {
  const { system, tools, messages } = Body.parse(body);
  const blocks = messages.flatMap(({ role, content, tool_calls, tool_call_id }) => {
    // A single text may stand alone, and means the same.
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
    return [...parts, ...(tool_calls ?? [])].map((block) => ({ role, tool_call_id, block }));
  });
  return [...[system ?? []].flat(), ...tools, ...blocks].map((it) =>
    JSON.stringify(it, (key, value) => (key === "cache_control" ? undefined : value)),
  );
}

const Body = z.object({
  system: z.unknown().optional(),
  tools: z.array(z.unknown()),
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.union([z.string(), z.array(z.unknown())]).nullish(),
      tool_calls: z.array(z.unknown()).optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
});
