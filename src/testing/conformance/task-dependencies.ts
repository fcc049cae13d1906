import { expect } from "vitest";
import { lead, TaskId } from "../../protocol/ids.ts";
import type { Task } from "../../protocol/task.ts";
import { alice, bob, createTask, type TaskBoardFixture } from "./task-board-fixture.ts";
import { testWith } from "./test-with.ts";

/** The promises of a board about blocked tasks. */
export function testTaskDependencies(open: () => Promise<TaskBoardFixture>): void {
  const test = testWith(open);
  test("nobody claims, starts or completes a task that is blocked", async ({ board }) => {
    const first = await createTask(board);
    const second = await createTask(board);
    const blocked_by = [first.id, second.id];
    const { id } = await board.create({ subject: "x", blocked_by, created_by: lead });

    const refusal = { code: "task-refused", message: "Task 3 is blocked by 1, 2" };
    const start = { status: "in_progress" } as const;
    await expect(board.claim(id, { by: alice })).rejects.toMatchObject(refusal);
    await expect(board.update(id, start, { by: lead })).rejects.toMatchObject(refusal);
    await expect(board.complete(id, { by: lead })).rejects.toMatchObject(refusal);
    await board.complete(first.id, { by: lead });
    await expect(board.claim(id, { by: alice })).rejects.toThrow("Task 3 is blocked by 2");
    await board.update(second.id, { status: "failed" }, { by: lead });
    await expect(board.claim(id, { by: alice })).rejects.toThrow("Task 3 is blocked by 2");
    await board.update(second.id, { status: "cancelled" }, { by: lead });
    expect(await board.claim(id, { by: alice })).toMatchObject({ owner: "alice" });
  });

  test("the end of the last blocker reports the tasks that became free", async ({ board }) => {
    const first = await createTask(board);
    const second = await createTask(board);
    const draft = { subject: "x", created_by: lead };
    const both = await board.create({ ...draft, blocked_by: [first.id, second.id], owner: bob });
    const one = await board.create({ ...draft, blocked_by: [second.id] });
    const gone = await board.create({ ...draft, blocked_by: [second.id] });
    await board.update(gone.id, { status: "cancelled" }, { by: lead });

    expect(await board.complete(first.id, { by: lead })).toMatchObject({ unblocked: [] });
    const { unblocked } = await board.update(second.id, { status: "cancelled" }, { by: lead });

    expect(unblocked).toEqual([both, one]);
    expect(await board.claimable()).toEqual([one]);
  });

  test("of two blockers that end at once, one reports the free task", async ({ board }) => {
    const blocked_by: TaskId[] = [];
    for (let count = 0; count < 6; count++) blocked_by.push((await createTask(board)).id);
    const { id } = await board.create({ subject: "x", blocked_by, created_by: lead });

    const changes = await Promise.all(blocked_by.map((one) => board.complete(one, { by: lead })));

    const freed = changes.flatMap(({ unblocked }) => unblocked.map((task) => task.id));
    expect(new Set(freed)).toEqual(new Set([id]));
  });

  test("a task whose blockers are removed is free", async ({ board }) => {
    const first = await createTask(board);
    const { id } = await board.create({
      subject: "x",
      blocked_by: [first.id],
      created_by: lead,
    });

    const { task, unblocked } = await board.update(id, { blocked_by: [] }, { by: lead });

    expect(unblocked).toEqual([task]);
    expect(task.blocked_by).toEqual([]);
  });

  test("cycles and unknown blockers are refused", async ({ board }) => {
    const { id: one } = await createTask(board);
    const { id: two } = await createTask(board);
    const { id: three } = await createTask(board);
    const { id: four } = await createTask(board);
    const wait = (id: TaskId, ...blocked_by: TaskId[]) =>
      board.update(id, { blocked_by }, { by: lead });
    await wait(one, two);
    await wait(two, three, four);

    await expect(wait(one, one)).rejects.toMatchObject({
      code: "task-refused",
      message: "Task 1 would wait for itself: 1 → 1",
    });
    await expect(wait(two, one)).rejects.toThrow("2 → 1 → 2");
    await expect(wait(three, four, one)).rejects.toThrow("3 → 1 → 2 → 3");
    await expect(wait(three, TaskId.parse("77"))).rejects.toMatchObject({
      code: "task-unknown",
      message: "There is no task 77",
    });
    const draft = { subject: "x", blocked_by: [TaskId.parse("5")], created_by: lead };
    await expect(board.create(draft)).rejects.toMatchObject({ code: "task-unknown" });
    expect((await board.list()).map((task) => task.blocked_by)).toEqual([
      ["2"],
      ["3", "4"],
      [],
      [],
    ]);
    await wait(three, four, four);
    expect(await board.get(three)).toMatchObject({ blocked_by: ["4"] });
  });

  test("simultaneous changes of several tasks create no cycle", async ({ board }) => {
    for (let round = 0; round < 10; round++) {
      const one = await createTask(board);
      const two = await createTask(board);
      const by = { by: lead };

      const outcomes = await Promise.allSettled([
        board.update(one.id, { blocked_by: [two.id], subject: "first" }, by),
        board.update(two.id, { blocked_by: [one.id], subject: "second" }, by),
      ]);

      const first = await board.get(one.id);
      const second = await board.get(two.id);
      expect(first.blocked_by.length + second.blocked_by.length).toBeLessThan(2);
      const isKept = outcomes.map(({ status }) => status === "fulfilled");
      expect([first.subject === "first", second.subject === "second"]).toEqual(isKept);
    }
  });

  test("claimable tasks are pending, free and unowned, oldest first", async ({ board }) => {
    const first = await createTask(board);
    const second = await createTask(board);
    const third = await createTask(board);
    const others: Task[] = [];
    for (let count = 0; count < 8; count++) others.push(await createTask(board));
    await board.claim(first.id, { by: alice });
    await board.update(second.id, { status: "failed" }, { by: lead });
    await board.update(third.id, { blocked_by: [first.id] }, { by: lead });

    expect(await board.claimable()).toEqual(others);
  });
}
