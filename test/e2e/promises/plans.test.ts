import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import {
  coder,
  endOfRun,
  lastResult,
  nextQuestion,
  requestIdIn,
  resultsIn,
  spawns,
} from "./scenes.ts";

const writes = (path: string) => calls("write_file", { path, content: "text" });
const plans = (plan: string) => calls("plan_approval", { plan });
const decides = (approve: boolean, feedback?: string) => (request: ProviderRequest) =>
  calls("plan_approval", { request_id: requestIdIn(request), approve, feedback });

/** Nothing but the gate is in the way of a change. */
const free = { mode: "bypassPermissions", autoclaim: false } as const;

test("P12 from the spawn on, nothing changes before a plan is approved: not after the plan in the same reply, not after a rejection", async () => {
  const changes = () => [
    writes("new.txt"),
    calls("edit_file", { path: "old.txt", old_text: "old", new_text: "new" }),
    calls("background_run", { command: "touch background.txt" }),
    calls("bash", { command: "touch command.txt" }),
    calls("bash", { command: "ls > listing.txt" }),
  ];
  await using wire = await TeamOnWire.start({
    lead: [
      spawns("alice", { plan_required: true }),
      says("Waiting."),
      // Not before all calls of the reply with the plan have their results.
      async (request) => {
        await wire.requested("alice", 3);
        return decides(false, "Too much at once.")(request);
      },
      says("Rejected."),
      decides(true),
      says("Approved."),
    ],
    alice: [
      reply([
        calls("read_file", { path: "old.txt" }),
        calls("bash", { command: "ls" }),
        calls("list_teammates", {}),
        calls("create_task", { subject: "Later" }),
        ...changes(),
      ]),
      reply([plans("First plan"), ...changes()]),
      says("I wait."),
      reply(changes()),
      plans("Second plan"),
      says("I wait again."),
      reply([writes("new.txt"), calls("bash", { command: "touch command.txt" })]),
      calls("update_task", { task_id: "1", status: "cancelled" }),
      says("Done."),
    ],
  });
  await writeFile(join(wire.root, "old.txt"), "old\n");
  const made = () =>
    ["new.txt", "background.txt", "command.txt", "listing.txt"].filter((name) =>
      existsSync(join(wire.root, name)),
    );
  const madeBeforeApproval: string[][] = [];
  const team = await wire.open(free);
  void (async () => {
    for await (const event of team.events())
      if (event.type === "turn-end" && event.member === "alice") madeBeforeApproval.push(made());
  })();
  await team.prompt("Go.");
  await team.quiet();

  const results = resultsIn(wire.requestsOf("alice").at(-1));
  const refused = (from: number) => results.slice(from, from + 5);
  expect(results.slice(0, 4).map(({ isError }) => isError)).toEqual([false, false, false, false]);
  for (const { text, isError } of refused(4)) {
    expect(isError).toBe(true);
    expect(text).toContain("Not permitted: you need an approved plan first");
  }
  expect(results[9]?.text).toMatch(
    /^Plan submitted \(request_id=.*\)\. Waiting for lead approval\.$/,
  );
  for (const { text } of refused(10)) expect(text).toContain("waits for approval");
  for (const { text } of refused(15)) expect(text).toContain("was rejected");
  expect(shownIn(wire.requestsOf("alice")[3])).toContain("Too much at once.");
  expect(madeBeforeApproval.slice(0, 6).flat()).toEqual([]);
  expect(made()).toEqual(["new.txt", "command.txt"]);
  expect(wire.server.refusals).toEqual([]);
});

test("P12 a member that needs no plan is blocked too, once it has submitted one", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      spawns("alice"),
      says("Waiting."),
      // Not before the write after the plan has its result.
      async (request) => {
        await wire.requested("alice", 3);
        return decides(true)(request);
      },
      says("Approved."),
    ],
    alice: [
      writes("before.txt"),
      reply([plans("A plan"), writes("pending.txt")]),
      says("I wait."),
      writes("after.txt"),
      says("Done."),
    ],
  });
  const team = await wire.open(free);
  await team.prompt("Go.");
  await team.quiet();

  const there = ["before.txt", "pending.txt", "after.txt"].filter((name) =>
    existsSync(join(wire.root, name)),
  );
  expect(there).toEqual(["before.txt", "after.txt"]);
});

test("P12 an approval is for one request: one of an older plan opens nothing, and decided ones stay decided", async () => {
  const ids = new Set<string>();
  const remembers = (request: ProviderRequest) => {
    ids.add(requestIdIn(request));
    if (!shownIn(request).includes("Decide.")) return says("I think about it.");
    if (resultsIn(request).length > 0) return says("Decided.");
    const [older, newer] = ids;
    return reply([
      calls("plan_approval", { request_id: older, approve: true }),
      calls("plan_approval", { request_id: newer, approve: false, feedback: "No." }),
      calls("plan_approval", { request_id: newer, approve: true }),
    ]);
  };
  await using wire = await TeamOnWire.start({
    lead: [remembers],
    alice: [
      plans("Old"),
      says("I wait."),
      plans("New"),
      says("I wait."),
      writes("one.txt"),
      says("Over."),
    ],
  });
  const team = await wire.open(free);
  await team.spawn({ ...coder("alice"), planRequired: true });
  await team.quiet();
  await team.message("alice", "Make a better plan.");
  await team.quiet();
  await team.prompt("Decide.");
  await team.quiet();

  const [ofOld, ofNew, again] = resultsIn(wire.requestsOf("lead").at(-1));
  expect(ofOld).toMatchObject({ isError: true, text: expect.stringContaining("cancelled") });
  expect(ofNew).toMatchObject({ isError: false, text: "Plan rejected for 'alice'" });
  expect(again).toMatchObject({ isError: true, text: expect.stringContaining("rejected") });
  expect(wire.requestsOf("alice")).toHaveLength(6);
  expect(there(wire)).toEqual([]);
});

test("P12 an approval is valid until the member takes another task or is spawned again", async () => {
  const decided = new Set<string>();
  const approvesAll = (request: ProviderRequest) => {
    const id = requestIdIn(request);
    if (id === "none" || decided.has(id)) return says("Noted.");
    decided.add(id);
    return decides(true)(request);
  };
  await using wire = await TeamOnWire.start({
    lead: [calls("create_task", { subject: "Mend" }), approvesAll],
    alice: [
      plans("First"),
      says("I wait."),
      writes("one.txt"),
      reply([calls("claim_task", { task_id: "1" }), writes("two.txt")]),
      reply([calls("complete_task", { task_id: "1" }), plans("Second")]),
      says("I wait."),
      writes("three.txt"),
      says("Done."),
      writes("four.txt"),
      says("Over."),
    ],
  });
  const team = await wire.open(free);
  await team.prompt("Make a task.");
  await team.quiet();
  await team.spawn({ ...coder("alice"), planRequired: true });
  await team.quiet();
  expect(there(wire)).toEqual(["one.txt", "three.txt"]);

  await team.spawn(coder("alice"));
  await team.quiet();
  expect(lastResult(wire.requestsOf("alice").at(-1))?.text).toContain("need an approved plan");
  expect(there(wire)).toEqual(["one.txt", "three.txt"]);
});

/** Which of the files that a scene may write are there. */
function there(wire: TeamOnWire): string[] {
  return ["one.txt", "two.txt", "three.txt", "four.txt"].filter((name) =>
    existsSync(join(wire.root, name)),
  );
}

test("P12 a closed gate stays closed after a restart, its question stays open, and its answer opens it", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Waiting."), says("I think about it."), decides(true), says("Approved.")],
    alice: [
      plans("The plan"),
      says("I wait."),
      writes("one.txt"),
      says("Still waiting."),
      writes("two.txt"),
      says("Done."),
      writes("three.txt"),
      says("Over."),
    ],
  });
  const first = await wire.open(free);
  await first.prompt("Wait.");
  await first.quiet();
  await first.spawn({ ...coder("alice"), planRequired: true });
  await wire.server.until(() => wire.requestsOf("lead").length === 2);
  await first.close();

  const second = await wire.open(free);
  expect(await second.openRequests()).toMatchObject([{ type: "plan", from: "alice" }]);
  await second.message("alice", "Go on.");
  await wire.server.until(() => wire.requestsOf("alice").length === 4);
  expect(lastResult(wire.requestsOf("alice")[3])?.text).toContain("waits for approval");
  await second.prompt("Decide.");
  await second.quiet();
  expect(there(wire)).toEqual(["two.txt"]);
  await second.close();

  const third = await wire.open(free);
  await third.message("alice", "One more.");
  await third.quiet();
  expect(there(wire)).toEqual(["two.txt", "three.txt"]);
});

test("P12 if the person decides plans, the lead's model cannot, and the person's answer opens the gate", async () => {
  let id = "";
  await using wire = await TeamOnWire.start({
    lead: [() => calls("plan_approval", { request_id: id, approve: true }), says("I may not.")],
    alice: [
      plans("A"),
      says("I wait."),
      writes("one.txt"),
      plans("B"),
      says("I wait."),
      writes("two.txt"),
      says("Done."),
    ],
  });
  const team = await wire.open({ ...free, planApproval: "user" });
  const asked = nextQuestion(team, "plan");
  const waits = endOfRun(team, "alice");
  await team.spawn({ ...coder("alice"), planRequired: true });
  id = await asked;
  // An answer that came before would be shown to her while she says that she waits.
  await waits;
  await team.prompt("Decide it.");
  await wire.server.until(() => wire.requestsOf("lead").length >= 2);
  expect(lastResult(wire.requestsOf("lead")[1])).toMatchObject({ isError: true });

  const askedAgain = nextQuestion(team, "plan");
  await team.answer(id, { decision: "deny", reason: "Smaller steps." });
  const second = await askedAgain;
  await wire.server.until(() => wire.requestsOf("alice").length === 5);
  expect(shownIn(wire.requestsOf("alice")[2])).toContain("Smaller steps.");
  await team.answer(second, { decision: "allow-once" });
  await team.quiet();
  expect(there(wire)).toEqual(["two.txt"]);
});
