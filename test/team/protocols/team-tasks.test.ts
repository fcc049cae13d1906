import { expect, test } from "vitest";
import { TeamError } from "../../../src/errors.ts";
import {
  lead,
  MemberName,
  type MessageId,
  newMessageId,
  newRequestId,
  outside,
  system,
} from "../../../src/protocol/ids.ts";
import type { MessageDraft } from "../../../src/protocol/message.ts";
import type { Task } from "../../../src/protocol/task.ts";
import { newTeam } from "../../../src/roster/team-file.ts";
import { StoredTaskBoard } from "../../../src/tasks/stored-task-board.ts";
import { TeamTasks } from "../../../src/team/protocols/team-tasks.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { member } from "../../support/team.ts";

const [alice, bob] = ["alice", "bob"].map((name) => MemberName.parse(name)) as [
  MemberName,
  MemberName,
];
const reportId = newMessageId(new Date(0));

test("the runtime assigns no task that was written by hand", async () => {
  const { board, tasks } = openTasks();
  await board.create({ subject: "from a file", created_by: outside });
  const own = await board.create({ subject: "from the lead", created_by: lead });

  expect(await tasks.claimable()).toEqual([own]);
});

test("tasks from before the start are known, oldest first, and kept up to date", async () => {
  const board = new StoredTaskBoard({ clock: new ManualClock() });
  for (let number = 1; number <= 11; number++) {
    await board.create({ subject: `task ${number}`, created_by: lead });
  }
  const { tasks } = openTasks(board);

  const ids = async () => (await tasks.claimable()).map(({ id }) => Number(id));
  expect(await ids()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  await tasks.deskOf(alice).claim("#2");

  expect(await ids()).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test("a member takes a task once, by claiming it or by an update", async () => {
  const { tasks, taken, desk } = openTasks();
  const { id } = await desk.create({ subject: "a task" });

  await tasks.deskOf(alice).claim(id);
  await tasks.deskOf(alice).claim(id);
  await desk.update(id, { description: "more" });
  expect(taken).toEqual(["alice"]);
  await desk.update(id, { owner: "bob", status: "in_progress" });
  expect(taken).toEqual(["alice", "bob"]);
  await desk.update(id, { status: "pending" });
  expect(taken).toEqual(["alice", "bob"]);
  await desk.update(id, { owner: "bob", status: "in_progress" });
  expect(taken).toEqual(["alice", "bob", "bob"]);
});

test("the lease of a task names the plan that ended with it", async () => {
  const plan = newRequestId(new Date(0));
  const { tasks, desk } = openTasks(undefined, {
    approvedPlanOf: (name) => (name === alice ? plan : undefined),
  });
  const [first, second, third] = [
    await desk.create({ subject: "one" }),
    await desk.create({ subject: "two" }),
    await desk.create({ subject: "three" }),
  ];

  await tasks.deskOf(alice).claim(first.id);
  await desk.update(second.id, { owner: "alice", status: "in_progress" });
  await tasks.deskOf(bob).claim(third.id);

  expect(await tasks.leasesOf(alice)).toMatchObject([{ ended_plan: plan }, { ended_plan: plan }]);
  expect(await tasks.leasesOf(bob)).toMatchObject([{ ended_plan: null }]);
});

test("the owner of a task is notified, unless it made the change itself", async () => {
  const { tasks, desk, mail } = openTasks();

  const { id } = await desk.create({
    subject: "a task",
    description: "Like this.",
    owner: "Alice",
  });
  await tasks.deskOf(alice).create({ subject: "own", owner: "alice" });
  await desk.update(id, { subject: "the task" });
  await desk.update(id, { owner: "Bob" });
  await desk.update(id, { owner: null });

  const told = { type: "task_assignment", from: lead, task_id: id };
  expect(mail).toEqual([
    [
      "alice",
      expect.objectContaining({ ...told, content: "Task 1 is yours: a task\n\nLike this." }),
    ],
    [
      "bob",
      expect.objectContaining({ ...told, content: "Task 1 is yours: the task\n\nLike this." }),
    ],
  ]);
});

test("the owner of a blocked task is notified when its last blocker is done", async () => {
  const { tasks, desk, mail } = openTasks();
  for (const subject of ["one", "two"]) await desk.create({ subject });
  await desk.create({ subject: "free", blocked_by: ["#1"] });
  await desk.create({ subject: "owned", blocked_by: ["1", "2"], owner: "bob" });
  await desk.create({ subject: "started", owner: "bob" });
  await tasks.deskOf(bob).claim("5");
  mail.length = 0;

  await tasks.deskOf(alice).claim("1");
  await tasks.deskOf(alice).complete("1", "done");
  expect(mail).toEqual([]);
  await tasks.deskOf(alice).claim("2");
  await desk.update("2", { status: "completed" });

  expect(mail).toMatchObject([["bob", { type: "task_assignment", from: system, task_id: "4" }]]);
});

test("a member is reminded once of a task that it still holds, and loses it the next time", async () => {
  const { tasks, desk, mail, board } = openTasks();
  const { id } = await desk.create({ subject: "a task", description: "Like this." });
  const end = { outcome: "done", reason: undefined, reportId } as const;
  await tasks.deskOf(alice).claim(id);
  await tasks.deskOf(bob).create({ subject: "another", owner: "bob" });

  await tasks.afterRun(alice, { end, remindedOf: new Set() });

  expect(mail).toMatchObject([["alice", { type: "message", from: system, task_id: id }]]);
  expect(mail[0]?.[1].content).toMatch(/^You still hold task 1: a task\..*\n\nLike this\.$/s);
  await tasks.afterRun(alice, { end, remindedOf: new Set([id]) });
  expect(await board.get(id)).toMatchObject({ owner: null, status: "pending", releases: 1 });
  expect(mail).toHaveLength(1);
});

test.each(["interrupted", "waiting"])("a member that is %s keeps its tasks", async (state) => {
  const { tasks, desk, mail, board } = openTasks(undefined, {
    isWaiting: () => state === "waiting",
  });
  const { id } = await desk.create({ subject: "a task" });
  await tasks.deskOf(alice).claim(id);
  const outcome = state === "interrupted" ? "interrupted" : "failed";

  await tasks.afterRun(alice, {
    end: { outcome, reason: undefined, reportId },
    remindedOf: new Set([id]),
  });

  expect(await board.get(id)).toMatchObject({ owner: alice, releases: 0 });
  expect(mail).toEqual([]);
});

test.each(["failed", "budget"] as const)(
  "a member whose run ended with %s loses its tasks at once, and the lead hears of one that fails by it",
  async (outcome) => {
    const { tasks, desk, mail, board } = openTasks();
    const { id } = await desk.create({ subject: "a task" });
    const fail = async () => {
      await tasks.deskOf(alice).claim(id);
      await tasks.afterRun(alice, {
        end: { outcome, reason: "no key", reportId },
        remindedOf: new Set(),
      });
      return board.get(id);
    };

    expect(await fail()).toMatchObject({ owner: null, status: "pending", releases: 1 });
    expect(await fail()).toMatchObject({ owner: null, status: "pending", releases: 2 });
    expect(mail).toEqual([]);
    expect(await fail()).toMatchObject({ status: "failed" });

    expect(mail).toMatchObject([["lead", { type: "message", from: system, task_id: id }]]);
    expect(mail[0]?.[1].content).toMatch(/^Task 1 has failed: .*a task$/);
  },
);

test("at a start a member is reminded of the tasks it holds, by the same message each time", async () => {
  const { tasks, desk, mail } = openTasks();
  await desk.create({ subject: "pending", owner: "alice" });
  await desk.create({ subject: "blocked", owner: "alice", blocked_by: ["1"] });
  const { id } = await desk.create({ subject: "started" });
  await tasks.deskOf(alice).claim(id);
  mail.length = 0;

  await tasks.remindOfHeldTasks(alice);
  await tasks.remindOfHeldTasks(alice);

  const [pending, started, ...again] = mail;
  expect([pending, started]).toMatchObject([
    ["alice", { task_id: "1" }],
    ["alice", { task_id: "3" }],
  ]);
  expect(again).toEqual([pending, started]);
});

test("a task of a member that ends in this very moment is free again, other errors are errors", async () => {
  let code: "member-ended" | "write-failed" = "member-ended";
  const { tasks, desk, board } = openTasks(undefined, {
    refuse: () => new TeamError(code, "It does not work"),
  });

  const gone = await desk.create({ subject: "a task", owner: "alice" });
  expect(await board.get(gone.id)).toMatchObject({ owner: null, releases: 0 });
  code = "write-failed";
  await expect(desk.create({ subject: "a task", owner: "alice" })).rejects.toMatchObject({ code });
  expect(await board.get(nextOf(gone))).toMatchObject({ owner: alice });

  await tasks.releaseAll(alice);
  expect(await board.get(nextOf(gone))).toMatchObject({ owner: null, releases: 0 });
});

test("an unknown task or owner is an error that lists what there is", async () => {
  const { desk } = openTasks();
  await expect(desk.get("one")).rejects.toMatchObject({
    ...{ code: "task-unknown", hint: "There are no tasks yet." },
  });
  for (let number = 1; number <= 21; number++) await desk.create({ subject: `task ${number}` });

  await expect(desk.claim("one")).rejects.toMatchObject({
    code: "task-unknown",
    hint: `Tasks: ${Array.from({ length: 20 }, (_, index) => index + 2).join(", ")}.`,
  });
  expect(await desk.get("#21")).toMatchObject({ subject: "task 21" });
  await expect(desk.create({ subject: "x", owner: "carol" })).rejects.toMatchObject({
    code: "member-unknown",
  });
});

function nextOf({ id }: Task): Task["id"] {
  return String(Number(id) + 1) as Task["id"];
}

interface Conduct {
  isWaiting?: () => boolean;
  approvedPlanOf?: (name: MemberName) => ReturnType<typeof newRequestId> | undefined;
  /** Why no mail arrives. */
  refuse?: () => TeamError;
}

/** The tasks of a team of the lead, alice and bob, with the mail that is sent about them. */
function openTasks(
  board = new StoredTaskBoard({ clock: new ManualClock() }),
  { isWaiting = () => false, approvedPlanOf = () => undefined, refuse }: Conduct = {},
) {
  const mail: [string, MessageDraft & { id?: MessageId }][] = [];
  const taken: MemberName[] = [];
  const tasks = new TeamTasks({
    board,
    review: async () => undefined,
    post: {
      send: async (to, draft) => {
        if (refuse) throw refuse();
        mail.push([to, draft]);
      },
    },
    roster: async () => ({ ...newTeam(new Date(0)), members: [member("alice"), member("bob")] }),
    isWaiting,
    approvedPlanOf,
    onTaken: async (name) => void taken.push(name),
  });
  return { board, tasks, mail, taken, desk: tasks.deskOf(lead) };
}
