import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { WakeLatch } from "../../src/lib/wake-latch.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { defineTool, type ToolContext } from "../../src/tools/tool.ts";
import { teamPlace } from "../support/team.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

test("a tool of the user that throws is an error for the model, and the run continues", async () => {
  await using wire = await TeamOnWire.start({ lead: [calls("work", {}), says("It is broken.")] });
  const team = await wire.open({
    tools: [tool(async () => Promise.reject(new Error("kaput")))],
  });

  await team.prompt("Go.");
  const { result, members } = await team.quiet();

  expect(result).toBe("It is broken.");
  expect(members).toMatchObject([{ name: "lead", outcome: "done" }]);
  expect(await wire.transcriptOf("lead")).toContainEqual(
    expect.objectContaining({
      type: "tool-result",
      output: "Error: work failed: kaput",
      is_error: true,
    }),
  );
});

test("a tool of the user that rejects when it is interrupted leaves the run interrupted", async () => {
  await using wire = await TeamOnWire.start({ lead: [calls("work", {}), says("Done.")] });
  const begun = new WakeLatch();
  const team = await wire.open({
    tools: [tool((context) => untilStopped(context, () => begun.wake()))],
  });

  await team.prompt("Go.");
  await begun.next();
  team.interrupt("lead");
  const { members } = await team.quiet();

  expect(members).toMatchObject([{ name: "lead", outcome: "interrupted" }]);
  expect(wire.requestsOf("lead")).toHaveLength(1);
  expect(await wire.transcriptOf("lead")).toContainEqual(
    expect.objectContaining({ type: "tool-result", output: expect.stringContaining("stopped") }),
  );
});

test("P19 a tool of the user that ignores its signal does not keep an interrupted member from the next prompt", async () => {
  await using wire = await TeamOnWire.start({ lead: [calls("work", {}), says("Something else.")] });
  const clock = new ManualClock();
  const begun = new WakeLatch();
  const deaf = tool(() => {
    begun.wake();
    return new Promise(() => undefined);
  });
  const team = await wire.open({ place: teamPlace(wire.root, { clock }), tools: [deaf] });
  await team.prompt("Go.");
  await begun.next();

  team.interrupt("lead");
  await clock.waitingFor(500);
  clock.advance(500);
  const { end } = await team.quiet();
  await team.prompt("Do something else.");
  const { result } = await team.quiet();

  expect(end).toMatchObject({ outcome: "interrupted" });
  expect(result).toBe("Something else.");
  expect(wire.shownTo("lead")).toContain("work did not stop when the run was interrupted");
});

test("a tool of the user that rejects when the team is closed does not end the run: it continues", async () => {
  await using wire = await TeamOnWire.start({ lead: [calls("work", {}), says("Done later.")] });
  const begun = new WakeLatch();
  const stops = tool((context) => untilStopped(context, () => begun.wake()));
  const team = await wire.open({ tools: [stops] });
  await team.prompt("Go.");
  await begun.next();
  await team.close();

  const again = await wire.open({ tools: [stops] });
  await again.prompt("Continue.");
  const { result } = await again.quiet();

  expect(result).toBe("Done later.");
  expect(wire.shownTo("lead")).toContain("work was stopped before it had finished");
});

test("an effect asks the person in the tool's own words; always is a rule with the tool's name", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("tickets", { title: "one" }), calls("tickets", { title: "two" }), says("Done.")],
  });
  const created: string[] = [];
  const team = await wire.open({ tools: [ticketTool((title) => created.push(title))] });
  const changes = team.events();

  await team.prompt("Go.");
  for await (const event of changes) {
    if (event.type === "request-change" && event.state === "pending") break;
  }
  const [request] = await team.openRequests();
  const asked = request?.subject;
  const before = [...created];
  await team.answer(request?.id ?? "", { decision: "allow-always" });
  const { result } = await team.quiet();

  expect(asked).toMatchObject({
    tool: "tickets",
    input: { title: "one" },
    summary: "Create the ticket one",
    reason: "it changes something outside the workspace",
    rule: "tickets",
  });
  expect(before).toEqual([]);
  expect(created).toEqual(["one", "two"]);
  expect(result).toBe("Done.");
  expect(await team.requests()).toHaveLength(1);
});

test("a rule with the tool's name allows its effects from the start", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("tickets", { title: "one" }), says("Done.")],
  });
  const created: string[] = [];
  const team = await wire.open({
    tools: [ticketTool((title) => created.push(title))],
    allow: ["tickets"],
  });

  await team.prompt("Go.");
  await team.quiet();

  expect(created).toEqual(["one"]);
  expect(await team.requests()).toEqual([]);
});

test.each(["bash", "Bash", "send_message", "a b", "", "1st", "x".repeat(65), "naïve"])(
  "a tool cannot be named %j",
  async (name) => {
    await using wire = await TeamOnWire.start({ lead: [says("Done.")] });

    await expect(wire.open({ tools: [named(name)] })).rejects.toMatchObject({
      code: "config-invalid",
      hint: expect.any(String),
    });
    expect(await wire.stored("config.json")).toBe("");
  },
);

test("two tools cannot have one name, and a tool takes an object", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Done.")] });

  await expect(wire.open({ tools: [named("work"), named("work")] })).rejects.toThrow(
    "Two tools are named work",
  );
  await expect(wire.open({ tools: [named("mcp__server__do-it")] })).rejects.toThrow(
    "mcp__server__do-it is a name for the tool of an MCP server",
  );
  const input_schema = { type: "string" };
  const { spec, prepare } = named("work");
  await expect(
    wire.open({ tools: [{ spec: { ...spec, input_schema }, prepare }] }),
  ).rejects.toThrow("The input of the tool work is not an object");
});

test("tools with the names that providers take are sent to them, and rules can name them", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Done.")] });
  const names = ["httpGet", "mcp_server-do-it", "_x", "x".repeat(64)];
  const team = await wire.open({ tools: names.map(named), allow: names });

  await team.prompt("Go.");
  await team.quiet();

  expect(wire.server.refusals).toEqual([]);
  expect(JSON.stringify(wire.requestsOf("lead")[0]?.body)).toContain('"mcp_server-do-it"');
});

test.each(["Bash", "Read", "do-it"])(
  "the rule deny: [%j] is refused, because no tool has that name",
  async (rule) => {
    await using wire = await TeamOnWire.start({ lead: [says("Done.")] });

    await expect(wire.open({ deny: [rule] })).rejects.toMatchObject({ code: "config-invalid" });
  },
);

test("a tool knows who calls it, where, and with which model", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      calls("spawn_teammate", { name: "alice", role: "coder", prompt: "Begin.", cwd: "sub" }),
      says("Done."),
    ],
    alice: [calls("work", {}), says("Done.")],
  });
  await mkdir(join(wire.root, "sub"));
  const seen: Partial<ToolContext>[] = [];
  const team = await wire.open({
    tools: [
      tool(async ({ member, cwd, model }) => {
        seen.push({ member, cwd, model });
        throw new Error("seen");
      }),
    ],
  });

  await team.prompt("Go.");
  await team.quiet();

  const cwd = join(await realpath(wire.root), "sub");
  expect(seen).toEqual([{ member: "alice", cwd, model: "anthropic/scripted" }]);
});

function ticketTool(create: (title: string) => void) {
  return defineTool({
    name: "tickets",
    description: "Creates a ticket.",
    input: z.object({ title: z.string() }),
    action: ({ title }) => ({ type: "effect", summary: `Create the ticket ${title}` }),
    async run({ title }) {
      create(title);
      return { text: "created", isError: false };
    },
  });
}

const named = (name: string) =>
  defineTool({
    name,
    description: "Works.",
    input: z.object({}),
    action: () => ({ type: "coordinate" }),
    run: async () => ({ text: "done", isError: false }),
  });

function tool(run: (context: ToolContext) => Promise<never>) {
  return defineTool({
    name: "work",
    description: "Works.",
    input: z.object({}),
    action: () => ({ type: "coordinate" }),
    run: (_, context) => run(context),
  });
}

/** Rejects as `fetch` does when its signal is aborted. */
function untilStopped({ signal }: ToolContext, begin: () => void): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    begin();
  });
}
