import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import {
  after,
  coder,
  Latch,
  lastResult,
  never,
  onceTold,
  resultsIn,
  taskOnDisk,
} from "./scenes.ts";

const creates = (subject: string, more: Record<string, unknown> = {}) =>
  calls("create_task", { subject, ...more });

/** Completes the task if the claim before was granted. */
const completesIfClaimed = (request: ProviderRequest) =>
  lastResult(request)?.isError
    ? says("Somebody else has it.")
    : calls("complete_task", { task_id: "1", result: "Done." });

test("P10 when two teammates claim one task at once, one gets it and the other learns the owner", async () => {
  const bothAsk = new Latch();
  const claims = () => after(bothAsk, calls("claim_task", { task_id: "1" }));
  await using wire = await TeamOnWire.start({
    lead: [creates("Mend the fence"), says("Noted.")],
    alice: [claims(), completesIfClaimed, says("Over.")],
    bob: [claims(), completesIfClaimed, says("Over.")],
  });
  const team = await wire.open({ autoclaim: false });
  await team.prompt("Make a task.");
  await team.quiet();

  await team.spawn(coder("alice"));
  await team.spawn(coder("bob"));
  await wire.server.until(() => ["alice", "bob"].every((it) => wire.requestsOf(it).length > 0));
  bothAsk.open();
  await team.quiet();

  const claimsOf = ["alice", "bob"].map((it) => resultsIn(wire.requestsOf(it)[1])[0]);
  const winner = claimsOf[0]?.isError ? "bob" : "alice";
  expect(claimsOf.map((it) => it?.isError).toSorted()).toEqual([false, true]);
  const refusal = claimsOf.find((it) => it?.isError)?.text;
  expect(refusal).toMatch(new RegExp(`Task 1 is (owned by '${winner}'|completed)`));
  expect(await taskOnDisk(wire, "1")).toMatchObject({
    status: "completed",
    owner: winner,
    result: "Done.",
  });
  expect(wire.server.refusals).toEqual([]);
});

test("P10 a blocked task cannot start, and finishing its last blocker wakes the waiting owner", async () => {
  const bobWaits = new Latch();
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        creates("Dig"),
        creates("Pour"),
        creates("Build", { owner: "bob", blocked_by: ["1", "2"] }),
      ]),
      says("Noted."),
    ],
    alice: [
      after(bobWaits, calls("claim_task", { task_id: "1" })),
      calls("complete_task", { task_id: "1" }),
      calls("claim_task", { task_id: "2" }),
      calls("complete_task", { task_id: "2" }),
      says("Ground is ready."),
    ],
    bob: [
      says("I am here."),
      calls("claim_task", { task_id: "3" }),
      calls("complete_task", { task_id: "3" }),
      says("I wait."),
      calls("claim_task", { task_id: "3" }),
      calls("complete_task", { task_id: "3", result: "It stands." }),
      says("Built."),
    ],
  });
  const team = await wire.open({ autoclaim: false });
  await team.spawn(coder("bob"));
  await team.quiet();
  await team.prompt("Make the tasks.");
  await team.quiet();
  // Who could not start is not woken for it; bob is told by the person.
  expect(wire.requestsOf("bob")).toHaveLength(1);
  await team.message("bob", "Take task 3.");
  await wire.server.until(() => wire.requestsOf("bob").length === 4);

  await team.spawn(coder("alice"));
  bobWaits.open();
  await team.quiet();

  const [claim, completion] = resultsIn(wire.requestsOf("bob")[3]);
  expect(claim).toMatchObject({ isError: true, text: expect.stringContaining("blocked by 1, 2") });
  expect(completion).toMatchObject({ isError: true, text: expect.stringContaining("blocked by") });
  // Nothing but the end of the last blocker has woken it: not the end of the first.
  expect(wire.requestsOf("bob")).toHaveLength(7);
  expect(shownIn(wire.requestsOf("bob")[4])).toContain('from=\\"system\\" type=\\"task_assignment');
  expect(resultsIn(wire.requestsOf("alice").at(-1))[3]?.text).toContain("3");
  expect(await taskOnDisk(wire, "3")).toMatchObject({ status: "completed", result: "It stands." });
});

test("P10 an idle teammate claims open tasks on its own, in the order of dependencies, each stored first", async () => {
  const onDisk: unknown[] = [];
  const look = (id: string) => async () => {
    onDisk.push(await taskOnDisk(wire, id));
    return calls("complete_task", { task_id: id });
  };
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        creates("Paint", { description: "In green.", blocked_by: [] }),
        creates("Dry", { blocked_by: ["1"] }),
      ]),
      says("Noted."),
    ],
    alice: [says("I am here."), look("1"), says("Painted."), look("2"), says("Dried.")],
  });
  const team = await wire.open();
  await team.spawn(coder("alice"));
  await team.quiet();
  await team.prompt("Make the tasks.");
  await team.quiet();

  expect(onDisk).toMatchObject([
    { id: "1", owner: "alice", status: "in_progress", lease: { holder: "alice" } },
    { id: "2", owner: "alice", status: "in_progress", lease: { holder: "alice" } },
  ]);
  const told = shownIn(wire.requestsOf("alice")[1]);
  expect(told).toContain('from=\\"system\\" type=\\"task_assignment\\"');
  expect(told).toContain("Task 1 is yours: Paint\\n\\nIn green.");
  expect((await team.tasks()).map(({ status }) => status)).toEqual(["completed", "completed"]);
});

test("P10 without autoclaim an idle teammate stays idle, and the task stays open", async () => {
  await using wire = await TeamOnWire.start({
    lead: [creates("Paint"), says("Noted.")],
    alice: [says("I am here.")],
  });
  const team = await wire.open({ autoclaim: false });
  await team.spawn(coder("alice"));
  await team.quiet();
  await team.prompt("Make a task.");
  await team.quiet();

  expect(wire.requestsOf("alice")).toHaveLength(1);
  expect(await taskOnDisk(wire, "1")).toMatchObject({ status: "pending", owner: null });
});

test("P10 the task of an ended owner is free again, and the next teammate takes it", async () => {
  await using wire = await TeamOnWire.start({
    lead: [creates("Mend"), says("Noted.")],
    alice: [calls("claim_task", { task_id: "1" }), never],
    bob: [says("I am here."), calls("complete_task", { task_id: "1" }), says("Mended.")],
  });
  const team = await wire.open();
  await team.prompt("Make a task.");
  await team.quiet();
  await team.spawn(coder("alice"));
  await wire.server.until(() => wire.requestsOf("alice").length === 2);
  expect(await taskOnDisk(wire, "1")).toMatchObject({ owner: "alice", status: "in_progress" });

  await team.stop("alice");
  expect(await taskOnDisk(wire, "1")).toMatchObject({
    owner: null,
    status: "pending",
    lease: null,
  });

  await team.spawn(coder("bob"));
  await team.quiet();
  expect(await taskOnDisk(wire, "1")).toMatchObject({ owner: "bob", status: "completed" });
});

test("P10 dependency cycles are refused, and the board stays unchanged", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        creates("One"),
        creates("Two", { blocked_by: ["1"] }),
        creates("Three", { blocked_by: ["2"] }),
        calls("update_task", { task_id: "1", blocked_by: ["3"] }),
        calls("update_task", { task_id: "1", blocked_by: ["1"] }),
        creates("Four", { blocked_by: ["9"] }),
      ]),
      says("Noted."),
    ],
  });
  const team = await wire.open();
  await team.prompt("Make the tasks.");
  await team.quiet();

  const refused = resultsIn(wire.requestsOf("lead")[1]).slice(3);
  expect(refused.map(({ isError }) => isError)).toEqual([true, true, true]);
  expect(refused[0]?.text).toMatch(/1.*3|3.*1/);
  expect(refused[2]?.text).toContain("9");
  const board = (await team.tasks()).map(({ id, blocked_by }) => [id, ...blocked_by]);
  expect(board).toEqual([["1"], ["2", "1"], ["3", "2"]]);
});

test("P10 a member that ends its run with a task is reminded once, loses it the next time, and after three losses the task has failed", async () => {
  await using wire = await TeamOnWire.start({
    lead: [creates("Mend"), says("Noted.")],
    alice: [says("I am here."), says("I looked at it.")],
  });
  const team = await wire.open();
  await team.spawn(coder("alice"));
  await team.quiet();
  await team.prompt("Make a task.");
  await team.quiet();

  // Each time: one run with the task, one with the reminder.
  const requests = wire.requestsOf("alice");
  expect(requests).toHaveLength(1 + 3 * 2);
  const shown = shownIn(requests.at(-1));
  expect(shown.match(/You still hold task 1/g)).toHaveLength(3);
  expect(shown.match(/Task 1 is yours/g)).toHaveLength(3);
  expect(await taskOnDisk(wire, "1")).toMatchObject({
    status: "failed",
    owner: null,
    releases: 3,
    result: expect.stringContaining("3 times"),
  });
  expect(shownIn(wire.requestsOf("lead").at(-1))).toContain("Task 1 has failed");
});

test("P10 ended tasks stay on the board with their owner and result, also when they are reopened", async () => {
  const makes = onceTold(
    "Make the tasks",
    reply([
      creates("Mend"),
      creates("Drop"),
      calls("update_task", { task_id: "2", status: "cancelled", result: "Not needed." }),
    ]),
    says("Noted."),
  );
  const looks = onceTold(
    "What has become",
    reply([
      calls("list_tasks", {}),
      calls("get_task", { task_id: "1" }),
      calls("get_task", { task_id: "7" }),
    ]),
    says("Seen."),
  );
  await using wire = await TeamOnWire.start({
    lead: [(request) => (shownIn(request).includes("What has become") ? looks : makes)(request)],
    alice: [
      calls("claim_task", { task_id: "1" }),
      calls("complete_task", { task_id: "1", result: "Mended with wire." }),
      says("Done."),
    ],
  });
  const first = await wire.open({ autoclaim: false });
  await first.prompt("Make the tasks.");
  await first.quiet();
  await first.spawn(coder("alice"));
  await first.quiet();
  await first.close();

  const second = await wire.open({ autoclaim: false });
  await second.prompt("What has become of them?");
  await second.quiet();
  const [list, task, unknown] = resultsIn(wire.requestsOf("lead").at(-1)).slice(-3);
  expect(list?.text).toContain("1 [completed] Mend (alice)");
  expect(list?.text).toContain("2 [cancelled] Drop");
  expect(task?.text).toContain('"result":"Mended with wire."');
  expect(unknown).toMatchObject({ isError: true });
  expect(await second.tasks()).toMatchObject([
    { id: "1", status: "completed", owner: "alice", result: "Mended with wire.", version: 3 },
    { id: "2", status: "cancelled", result: "Not needed." },
  ]);
  const versions = await readdir(join(wire.teamDirectory, "tasks", ".versions", "1"));
  expect(versions.toSorted()).toEqual(["1.json", "2.json", "3.json"]);
});
