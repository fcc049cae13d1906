import { expect, test } from "vitest";
import type { RunEnd } from "../../src/agent/runner.ts";
import { newLanding } from "../../src/landing/landing-rules.ts";
import { CommitId, LandingId, lead, MemberName, TaskId } from "../../src/protocol/ids.ts";
import { type Landing, landingIsOff } from "../../src/protocol/landing.ts";
import type { MemberStatus } from "../../src/protocol/team.ts";
import { exitCodeOf, unfinishedLines } from "../../src/team/exit-code.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import type { TeamSummary } from "../../src/team/summary.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

test("a summary is judged as a headless run is: 0 only if nothing is left to do", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Done.")] });
  const team = await wire.open();
  await team.prompt("Go.");
  const summary = await team.quiet();

  expect(exitCodeOf(summary)).toBe(0);
  expect(unfinishedLines(summary)).toEqual([]);
  const members = summary.members.map((member) => ({ ...member, status: "failed" as const }));
  expect(exitCodeOf({ ...summary, members })).toBe(3);
  const end = summary.end && { ...summary.end, outcome: "budget" as const };
  expect(exitCodeOf({ ...summary, end })).toBe(4);
});

test("a task is unfinished until it is completed or cancelled", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply(["one", "two", "three"].map((subject) => calls("create_task", { subject }))),
      reply([
        calls("update_task", { task_id: "2", status: "cancelled" }),
        calls("complete_task", { task_id: "3", result: "Painted." }),
      ]),
      says("Done."),
    ],
  });
  const team = await wire.open();
  await team.prompt("Go.");

  const summary = await team.quiet();

  expect(summary.tasks.map(({ status }) => status)).toEqual(["pending", "cancelled", "completed"]);
  expect(unfinishedLines(summary)).toEqual(["task 1 is pending: one"]);
});

const done: RunEnd = { outcome: "done", answers: [] };

test.each<[string, Partial<TeamSummary>, number]>([
  ["the lead is done", {}, 0],
  ["the lead has not worked", { end: undefined }, 3],
  ["the lead was interrupted", { end: { ...done, outcome: "interrupted" } }, 3],
  ["the lead has failed", { end: { ...done, outcome: "failed" } }, 3],
  ["no model has answered", { end: { ...done, outcome: "failed", isUnanswered: true } }, 1],
  ["the lead has reached its limit of turns", { end: { ...done, outcome: "turn-limit" } }, 4],
  ["the lead's budget is used up", { end: { ...done, outcome: "budget" } }, 4],
  ["a teammate has failed", { members: [memberIn("alice", "failed")] }, 3],
  ["a teammate is idle", { members: [memberIn("alice", "idle")] }, 0],
  ["work is on its way", { landings: [landingIn("merged")] }, 3],
  ["work has landed", { landings: [landingIn("landed")] }, 0],
  ["work waits for the person", { landings: [landingIn("taken")] }, 3],
  ["landing is off", { landings: [landingIn("taken", landingIsOff)] }, 0],
  [
    "work is in conflict, though landing is off",
    { landings: [landingIn("conflict", landingIsOff)] },
    3,
  ],
])("where %s, the exit code is right", (_, summary, code) => {
  expect(exitCodeOf({ ...nothingLeft, ...summary })).toBe(code);
});

test("all unfinished work is named, a line each, after the reason and the advice", async () => {
  const { requests, tasks } = new MemoryTeamStore();
  const from = MemberName.parse("alice");
  const { id } = await requests.open({ type: "plan", from, to: lead, subject: { plan: "1. …" } });
  for (const subject of ["open", "over"]) await tasks.create({ subject, created_by: lead });
  await tasks.update(TaskId.parse("2"), { status: "cancelled" }, { by: lead });
  const summary = {
    ...nothingLeft,
    end: { ...done, outcome: "failed", reason: "no key", hint: "Set one." } as const,
    members: [memberIn("lead", "failed"), memberIn("alice", "failed"), memberIn("bob", "idle")],
    ...{ tasks: await tasks.list(), undecided: await requests.list() },
    landings: [landingIn("conflict"), landingIn("landed")],
  };

  expect(exitCodeOf({ ...nothingLeft, undecided: summary.undecided })).toBe(3);
  expect(unfinishedLines(summary)).toEqual([
    "failed: no key",
    "Set one.",
    "'alice' has failed",
    "task 1 is pending: open",
    "the work of 'alice' (landing 1) is conflict",
    `a plan request of 'alice' is undecided: ${id}`,
  ]);
  expect(unfinishedLines({ ...nothingLeft, end: undefined })).toEqual([]);
});

const nothingLeft: TeamSummary = {
  ...{ result: "Done.", members: [], tasks: [], landings: [], denied: [], undecided: [] },
  ...{ background: [], cost_usd: 0, unpriced_calls: 0, duration_ms: 0, end: done, undelivered: [] },
  usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
};

function memberIn(name: string, status: MemberStatus): TeamSummary["members"][number] {
  return {
    ...{ name: MemberName.parse(name), role: "coder", status, model: "scripted" },
    ...{ answered_by: "scripted", outcome: undefined, usage: undefined, cost_usd: 0 },
  };
}

function landingIn(state: Landing["state"], reason: string | null = null): Landing {
  const commit = CommitId.parse("a".repeat(40));
  const draft = {
    ...{ member: MemberName.parse("alice"), ref: "refs/troupe/1", commit, base: commit },
    target: "main",
  };
  const landing = newLanding(draft, { id: LandingId.parse("1"), at: new Date(0) });
  return { ...landing, state, reason };
}
