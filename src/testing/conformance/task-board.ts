import { describe, expect } from "vitest";
import { lead, MemberName, TaskId, user } from "../../protocol/ids.ts";
import type { Task } from "../../protocol/task.ts";
import { catchUncaughtErrors } from "../uncaught-errors.ts";
import { nextChange } from "./next-change.ts";
import { alice, bob, createTask, type TaskBoardFixture } from "./task-board-fixture.ts";
import { testTaskDependencies } from "./task-dependencies.ts";
import { testTaskUpdates } from "./task-updates.ts";
import { testWith } from "./test-with.ts";

export type { TaskBoardFixture };

/** The promises in task-board.ts, one test each. */
export function testTaskBoard(name: string, open: () => Promise<TaskBoardFixture>): void {
  describe(`${name} keeps the task board promises`, () => {
    testRecords(open);
    testOwnership(open);
    testTaskDependencies(open);
    testTaskUpdates(open);
  });
}

function testRecords(open: () => Promise<TaskBoardFixture>): void {
  const test = testWith(open);
  test("a new task is pending, without owner, and numbered in order", async ({ board }) => {
    const first = await board.create({ subject: "design", created_by: lead });
    const second = await board.create({
      subject: "build",
      description: "all of it",
      blocked_by: [first.id],
      owner: alice,
      created_by: bob,
    });

    expect(first).toEqual({
      id: "1",
      subject: "design",
      description: "",
      status: "pending",
      owner: null,
      blocked_by: [],
      result: null,
      created_by: "lead",
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-01T00:00:00.000Z",
      version: 1,
      lease: null,
      releases: 0,
    });
    expect(second).toMatchObject({ id: "2", description: "all of it", blocked_by: ["1"] });
    expect(second).toMatchObject({ owner: "alice", status: "pending", lease: null });
    expect(await board.list()).toEqual([first, second]);
    expect(await board.get(second.id)).toEqual(second);
  });

  test("tasks created at the same moment have different ids", async ({ board }) => {
    const create = () => board.create({ subject: "x", created_by: lead });

    const tasks = await Promise.all(Array.from({ length: 12 }, create));

    const ids = tasks.map(({ id }) => Number(id)).sort((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    expect((await board.list()).map(({ id }) => Number(id))).toEqual(ids);
  });

  test("an unknown id is an error that lists the existing tasks", async ({ board }) => {
    const missing = TaskId.parse("9");
    await expect(board.get(missing)).rejects.toMatchObject({ hint: "The board is empty." });
    await createTask(board);
    await createTask(board);

    const expected = { code: "task-unknown", message: "There is no task 9", hint: "Tasks: 1, 2." };
    await expect(board.get(missing)).rejects.toMatchObject(expected);
    await expect(board.claim(missing, { by: alice })).rejects.toMatchObject(expected);
    await expect(board.complete(missing, { by: lead })).rejects.toMatchObject(expected);
    await expect(board.update(missing, {}, { by: lead })).rejects.toMatchObject(expected);
  });

  test("every change raises the version and calls the listeners", async ({ board, clock }) => {
    const seen: Task[] = [];
    const stop = board.onChange((task) => seen.push(task));
    const task = await createTask(board);
    clock.advance(1000);

    const claimed = await board.claim(task.id, { by: alice });
    const { task: completed } = await board.complete(task.id, { by: alice, result: "done" });
    stop();
    await board.update(task.id, { description: "unheard" }, { by: lead });

    expect(seen).toEqual([task, claimed, completed]);
    expect(seen.map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(completed).toMatchObject({
      created_at: task.created_at,
      updated_at: "2026-01-01T00:00:01.000Z",
    });
  });

  test("a listener that throws breaks no change, and the others are called", async ({ board }) => {
    using uncaught = catchUncaughtErrors();
    const seen: Task[] = [];
    board.onChange(() => {
      throw new Error("a listener's bug");
    });
    board.onChange((task) => seen.push(task));

    const task = await createTask(board);

    expect(seen).toEqual([task]);
    expect(await uncaught.settled()).toMatchObject([{ message: "a listener's bug" }]);
  });

  test("a change for an old version is refused and changes nothing", async ({ board }) => {
    const task = await createTask(board);
    const current = await board.claim(task.id, { by: alice, version: 1 });

    const conflict = { code: "task-conflict" };
    const stale = { by: alice, version: 1 };
    await expect(board.claim(task.id, stale)).rejects.toMatchObject(conflict);
    await expect(board.complete(task.id, stale)).rejects.toMatchObject(conflict);
    await expect(board.update(task.id, { subject: "y" }, stale)).rejects.toMatchObject(conflict);
    expect(await board.get(task.id)).toEqual(current);
    await board.complete(task.id, { by: alice, version: 2 });
  });

  test("changing a returned task does not change the board", async ({ board }) => {
    const task = await createTask(board);

    task.subject = "changed";
    const [listed] = await board.list();
    listed?.blocked_by.push(task.id);

    expect(await board.get(task.id)).toMatchObject({
      subject: "some work",
      blocked_by: [],
    });
  });

  test("listeners are called after another process creates or changes a task", async (fixture) => {
    const { board } = fixture;
    const other = await fixture.reopen();
    const mine = await createTask(board);

    const created = nextChange(board, ({ id }) => id !== mine.id);
    expect(await createTask(other)).toEqual(await created);
    const claimed = nextChange(board, ({ owner }) => owner === alice);
    expect(await other.claim(mine.id, { by: alice })).toEqual(await claimed);
    const completed = nextChange(board, ({ status }) => status === "completed");
    await other.complete(mine.id, { by: alice });
    expect(await completed).toEqual(await board.get(mine.id));
  });

  test("a second process sees the board and continues with it", async (fixture) => {
    const task = await createTask(fixture.board);
    const claimed = await fixture.board.claim(task.id, { by: alice });

    const other = await fixture.reopen();

    expect(await other.list()).toEqual([claimed]);
    await expect(other.claim(task.id, { by: bob })).rejects.toThrow("owned by 'alice'");
    expect(await other.create({ subject: "next", created_by: bob })).toMatchObject({ id: "2" });
    const { task: completed } = await other.complete(task.id, { by: alice });
    expect(await fixture.board.get(task.id)).toEqual(completed);
  });
}

function testOwnership(open: () => Promise<TaskBoardFixture>): void {
  const test = testWith(open);
  test("a claim gives ownership and a lease, once", async ({ board, clock }) => {
    const task = await createTask(board);

    const claimed = await board.claim(task.id, { by: alice });
    clock.advance(1000);

    expect(claimed).toMatchObject({
      status: "in_progress",
      owner: "alice",
      lease: { holder: "alice", since: "2026-01-01T00:00:00.000Z" },
    });
    expect(await board.claim(task.id, { by: alice })).toEqual(claimed);
  });

  test("of many claims at once one succeeds, and the others name it", async ({ board }) => {
    const task = await createTask(board);
    const members = Array.from({ length: 12 }, (_, index) => MemberName.parse(`m${index}`));

    const outcomes = await Promise.allSettled(members.map((by) => board.claim(task.id, { by })));

    const { owner } = await board.get(task.id);
    const winners = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" ? outcome.value.owner : [],
    );
    expect(winners).toEqual([owner]);
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") continue;
      expect(outcome.reason).toMatchObject({
        code: "task-refused",
        message: `Task 1 is owned by '${owner}'`,
      });
    }
  });

  test("only its owner can start a task that was assigned at creation", async ({ board }) => {
    const { id } = await board.create({ subject: "x", owner: alice, created_by: lead });

    expect(await board.claimable()).toEqual([]);
    await expect(board.claim(id, { by: bob })).rejects.toThrow("owned by 'alice'");
    expect(await board.claim(id, { by: alice })).toMatchObject({ status: "in_progress" });
  });

  test("a member that lost its task cannot complete or change it", async ({ board }) => {
    const task = await createTask(board);
    await board.claim(task.id, { by: alice });
    await board.release(task.id, { holder: alice, isCounted: false });

    await expect(board.complete(task.id, { by: alice })).rejects.toThrow("Task 1 has no owner");
    const current = await board.claim(task.id, { by: bob });
    const refusal = { code: "task-refused", message: "Task 1 is owned by 'bob'" };
    await expect(board.complete(task.id, { by: alice })).rejects.toMatchObject(refusal);
    await expect(board.update(task.id, { status: "failed" }, { by: alice })).rejects.toMatchObject(
      refusal,
    );
    expect(await board.get(task.id)).toEqual(current);
  });

  test("owner, lead and person can complete a task; its owner stays", async ({ board }) => {
    for (const by of [alice, lead, user]) {
      const { id } = await board.create({ subject: "x", created_by: lead });
      await board.claim(id, { by: alice });

      const { task } = await board.complete(id, { by, result: "it works" });

      const completed = { status: "completed", owner: "alice", lease: null, result: "it works" };
      expect(task).toMatchObject(completed);
      await expect(board.complete(id, { by })).rejects.toThrow("is already completed");
      await expect(board.claim(id, { by: bob })).rejects.toThrow("is completed");
    }
  });
}
