import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { systemProcesses } from "../../../src/lib/process-identity.ts";
import { AgentEvent } from "../../../src/protocol/events.ts";
import { stall, status } from "../../../src/testing/provider-server/answers.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { troupeIn } from "../../cli/troupe.ts";
import { providerEnvironment } from "../../support/agent-on-wire.ts";
import { fileText } from "../../support/file-text.ts";
import { shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import { after, Latch, spawns } from "./scenes.ts";

/** `troupe run` on the team of `wire`. */
function run(wire: TeamOnWire, ...flags: string[]) {
  const world = { root: wire.root, env: providerEnvironment(wire.server) };
  return troupeIn(world, "run", "Go.", "--model", "anthropic/scripted", ...flags);
}

const Summary = z.looseObject({
  result: z.string(),
  exit_code: z.number(),
  members: z.array(z.looseObject({ name: z.string(), status: z.string() })),
  tasks: z.array(z.looseObject({ id: z.string(), status: z.string() })),
  denied: z.array(z.unknown()),
  undelivered: z.array(z.unknown()),
  background: z.array(z.unknown()),
  usage: z.looseObject({ input_tokens: z.number() }),
  cost_usd: z.number().nullable(),
  unpriced_calls: z.number(),
  duration_ms: z.number(),
});

test("P22 a run ends with the last teammate, not with the lead's first answer, and prints the lead's last one", async () => {
  const leadHasAnswered = new Latch();
  await using wire = await TeamOnWire.start({
    lead: [
      spawns("alice"),
      () => {
        leadHasAnswered.open();
        return says("I have started alice.");
      },
      says("Alice is done."),
    ],
    alice: [after(leadHasAnswered, calls("list_tasks", {})), says("The result.")],
  });

  const { code, out } = await run(wire);

  expect({ code, out }).toEqual({ code: 0, out: ["Alice is done."] });
  expect(shownIn(wire.requestsOf("lead").at(-1))).toContain("The result.");
});

test("P22 the summary has all members, all tasks and all denials", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        spawns("alice"),
        calls("create_task", { subject: "Paint" }),
        calls("wait_for_teammates", {}),
      ]),
      says("Over."),
    ],
    alice: [
      calls("write_file", { path: "x.txt", content: "x" }),
      says("It was denied."),
      calls("complete_task", { task_id: "1", result: "Painted." }),
      says("Painted."),
    ],
  });

  const { code, out } = await run(wire, "--output", "json");

  expect(out).toHaveLength(1);
  const summary = Summary.parse(JSON.parse(out[0] ?? ""));
  expect(code).toBe(0);
  expect(summary).toMatchObject({
    exit_code: 0,
    result: "Over.",
    members: [
      { name: "lead", outcome: "done" },
      { name: "alice", role: "coder", status: "idle", outcome: "done" },
    ],
    tasks: [{ id: "1", status: "completed", owner: "alice", result: "Painted." }],
    denied: [{ from: "alice", subject: { tool: "write_file" } }],
  });
});

test("P22 stream-json prints one event per line, of the lead and of teammates, and ends with the summary", async () => {
  await using wire = await TeamOnWire.start({
    lead: [reply([spawns("alice"), calls("wait_for_teammates", {})]), says("Over.")],
    alice: [says("Here.")],
  });

  const { code, out } = await run(wire, "--output", "stream-json");

  const events = out.slice(0, -1).map((line) => AgentEvent.parse(JSON.parse(line)));
  expect(code).toBe(0);
  for (const member of ["lead", "alice"]) {
    expect(events).toContainEqual(expect.objectContaining({ type: "run-end", member }));
  }
  const summary = JSON.parse(out.at(-1) ?? "");
  expect(summary).toMatchObject({ type: "summary", result: "Over.", exit_code: 0 });
  expect(summary.members).toHaveLength(2);
});

test("P22 a lead that leaves a task open is reminded once, then the run ends as unfinished", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("create_task", { subject: "Paint" }), says("Done."), says("I leave it so.")],
  });

  const { code, out, err } = await run(wire);

  expect({ code, out }).toEqual({ code: 3, out: ["I leave it so."] });
  expect(wire.requestsOf("lead")).toHaveLength(3);
  expect(shownIn(wire.requestsOf("lead")[2])).toContain("task 1 is pending: Paint");
  expect(err.join("\n")).toContain("task 1 is pending: Paint");
});

test("P22 a lead that leaves a plan undecided is reminded once, and can still decide it", async () => {
  const decides = (approve: boolean) => (request: Parameters<typeof shownIn>[0]) =>
    calls("plan_approval", {
      request_id: /request_id=([0-9a-f-]{36})\)/.exec(shownIn(request))?.[1],
      approve,
    });
  const script = (isDecided: boolean) => ({
    lead: [
      spawns("alice", { plan_required: true }),
      says("Waiting."),
      says("Let us see."),
      isDecided ? decides(true) : says("I do not know."),
      says("Over."),
    ],
    alice: [reply([calls("plan_approval", { plan: "Green" })]), says(""), says("Painted.")],
  });
  for (const isDecided of [true, false]) {
    await using wire = await TeamOnWire.start(script(isDecided));
    const { code, err } = await run(wire);
    const shown = shownIn(wire.requestsOf("lead").at(-1));
    expect(shown.match(/Everybody is idle, and this is not finished/g)).toHaveLength(1);
    expect(code, err.join("\n")).toBe(isDecided ? 0 : 3);
  }
});

test("P22 a failed teammate means unfinished work; an unreachable provider of the lead is an error", async () => {
  await using one = await TeamOnWire.start({
    lead: [reply([spawns("alice"), calls("wait_for_teammates", {})]), says("She failed.")],
    alice: [status(400)],
  });
  expect(await run(one)).toMatchObject({ code: 3, out: ["She failed."] });

  await using other = await TeamOnWire.start({ lead: [status(401)] });
  expect(await run(other)).toMatchObject({ code: 1, out: [] });
});

test("P22 limits of the lead end the run with 4; a teammate's limits are only its outcome", async () => {
  const toils = () => calls("list_tasks", {});
  await using lead = await TeamOnWire.start({ lead: [toils] });
  expect(await run(lead, "--max-turns", "1")).toMatchObject({ code: 4 });

  await using late = await TeamOnWire.start({ lead: [stall(says("Over."), "nothing")] });
  expect(await run(late, "--timeout", "0.2")).toMatchObject({ code: 4 });

  await using teammate = await TeamOnWire.start({
    lead: [reply([spawns("alice"), calls("wait_for_teammates", {})]), says("Over.")],
    alice: [
      reply([calls("list_tasks", {})]),
      reply([calls("list_teammates", {})]),
      toils,
      says(""),
    ],
  });
  const { code, out } = await run(teammate, "--max-turns", "2", "--output", "json");
  expect(code).toBe(0);
  expect(Summary.parse(JSON.parse(out[0] ?? "")).members).toMatchObject([
    { name: "lead", outcome: "done" },
    { name: "alice", outcome: "turn-limit" },
  ]);
});

test("P22 if a teammate uses up the team's budget, the run ends with 4, even if the lead had answered", async () => {
  await using wire = await TeamOnWire.start({
    lead: [spawns("alice"), says("I have started alice.")],
    alice: [
      async () => {
        await wire.server.until(() => wire.requestsOf("lead").length === 2);
        return reply([calls("list_tasks", {})], { usage: { input_tokens: 100_000_000 } });
      },
    ],
  });
  const world = { root: wire.root, env: providerEnvironment(wire.server) };
  const flags = ["--model", "anthropic/claude-haiku-4-5", "--max-cost", "1"];

  const { code, err } = await troupeIn(world, "run", "Go.", ...flags);

  expect(code).toBe(4);
  expect(err.join("\n")).toContain("budget");
});

test("P22 wrong usage and a second lead end with 2, and print nothing", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Over.")] });
  expect(await run(wire, "--nonsense")).toMatchObject({ code: 2, out: [] });
  expect(await run(wire, "--allow", "nonsense(")).toMatchObject({ code: 2, out: [] });

  await using team = await wire.open();
  const { code, out, err } = await run(wire);
  expect({ code, out }).toEqual({ code: 2, out: [] });
  expect(err.join("\n")).toContain(String(process.pid));
  await team.close();
});

test("P22 a background command is awaited, and its end wakes its owner; one that takes too long is ended and listed", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([spawns("alice"), calls("wait_for_teammates", {})]),
      says("Waiting."),
      says("It has ended."),
    ],
    alice: [
      calls("background_run", { command: "echo ready" }),
      says("It runs."),
      says("It said so."),
    ],
  });
  const free = ["--permission-mode", "bypassPermissions"];
  const awaited = await run(wire, ...free);
  // What went wrong, if anything, is in the failure of the test.
  expect({ ...awaited, refusals: wire.server.refusals }).toEqual({
    code: 0,
    out: [expect.any(String)],
    err: expect.not.arrayContaining([expect.stringMatching(/^(error|warning|failed): /)]),
    refusals: [],
  });
  expect(wire.shownTo("alice")).toMatch(/has ended: completed.*ready/);

  await using lasting = await TeamOnWire.start({
    lead: [
      calls("background_run", { command: "echo $$ > pid; exec sleep 1000" }),
      async () => {
        await fileText(join(lasting.root, "pid"));
        return says("It runs.");
      },
    ],
  });
  // Without a sandbox, so that the command knows its pid as it is for the test.
  const unconfined = [...free, "--sandbox", "off"];
  const flags = ["--background-wait", "0", "--output", "json"];
  const { out } = await run(lasting, ...unconfined, ...flags);
  expect(Summary.parse(JSON.parse(out[0] ?? "")).background).toMatchObject([{ member: "lead" }]);
  const pid = Number(await fileText(join(lasting.root, "pid")));
  expect(await systemProcesses.startOf(pid)).toBeUndefined();
});
