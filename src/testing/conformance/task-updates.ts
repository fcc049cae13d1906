import { expect } from "vitest";
import { lead } from "../../protocol/ids.ts";
import { maxReleases } from "../../tasks/task-rules.ts";
import { alice, bob, createTask, type TaskBoardFixture } from "./task-board-fixture.ts";
import { testWith } from "./test-with.ts";

/** The promises of a board about changing and releasing tasks. */
export function testTaskUpdates(open: () => Promise<TaskBoardFixture>): void {
  testEdits(open);
  testReleases(open);
}

function testEdits(open: () => Promise<TaskBoardFixture>): void {
  const test = testWith(open);
  test("anybody can edit a task without an owner", async ({ board }) => {
    const task = await createTask(board);

    const patch = { subject: "y", description: "more", result: "half" };
    const { task: edited } = await board.update(task.id, patch, { by: bob });

    expect(edited).toMatchObject({ ...patch, status: "pending", owner: null, version: 2 });
    expect((await board.update(task.id, {}, { by: bob })).task).toEqual(edited);
  });

  test("the result of an ended task can be corrected", async ({ board }) => {
    const task = await createTask(board);
    await board.complete(task.id, { by: lead, result: "wrong" });

    const { task: edited } = await board.update(task.id, { result: "right" }, { by: lead });

    expect(edited).toMatchObject({ status: "completed", result: "right" });
  });

  test("a reassigned task waits for its new owner's claim", async ({ board }) => {
    const task = await createTask(board);
    await board.claim(task.id, { by: alice });

    const { task: same } = await board.update(task.id, { owner: alice }, { by: lead });
    const { task: handed } = await board.update(task.id, { owner: bob }, { by: lead });

    expect(same).toMatchObject({ status: "in_progress", version: 2 });
    expect(handed).toMatchObject({ status: "pending", owner: "bob", lease: null, releases: 0 });
    await expect(board.complete(task.id, { by: alice })).rejects.toThrow("owned by 'bob'");
    expect(await board.claim(task.id, { by: bob })).toMatchObject({ lease: { holder: "bob" } });
  });

  test("setting the status to in_progress starts a task for its owner or for the caller", async ({
    board,
  }) => {
    const first = await createTask(board);
    const second = await createTask(board);
    const status = "in_progress" as const;

    const own = await board.update(first.id, { status }, { by: alice });
    const given = await board.update(second.id, { status, owner: bob }, { by: lead });

    expect(own.task).toMatchObject({ owner: "alice", lease: { holder: "alice" } });
    expect(given.task).toMatchObject({ owner: "bob", lease: { holder: "bob" } });
    await expect(
      board.update(first.id, { status, owner: null }, { by: alice }),
    ).rejects.toMatchObject({ code: "task-refused" });
  });

  test("an ended task can only be reopened, not restarted or given another end", async ({
    board,
  }) => {
    const task = await createTask(board);
    await board.claim(task.id, { by: alice });
    await board.complete(task.id, { by: alice, result: "done" });

    for (const patch of [
      { status: "in_progress" },
      { status: "failed" },
      { owner: bob },
    ] as const) {
      await expect(board.update(task.id, patch, { by: lead })).rejects.toMatchObject({
        code: "task-refused",
        hint: 'To reopen it, set its status to "pending".',
      });
    }
    const { task: reopened } = await board.update(task.id, { status: "pending" }, { by: lead });
    expect(reopened).toMatchObject({ status: "pending", owner: null, result: null, releases: 0 });
  });

  test("a failed task keeps its owner and reason, and can be cancelled", async ({ board }) => {
    const task = await createTask(board);
    await board.claim(task.id, { by: alice });

    const failure = { status: "failed", result: "no network" } as const;
    const { task: failed } = await board.update(task.id, failure, { by: alice });
    const { task: cancelled } = await board.update(task.id, { status: "cancelled" }, { by: lead });

    expect(failed).toMatchObject({ ...failure, owner: "alice", lease: null });
    expect(cancelled).toMatchObject({ status: "cancelled", result: "no network" });
  });

  test("empty subjects and too long texts are refused", async ({ board }) => {
    const task = await createTask(board);
    const large = "x".repeat(256 * 1024 + 1);

    await expect(board.create({ subject: " ", created_by: lead })).rejects.toMatchObject({
      code: "task-refused",
    });
    await expect(board.update(task.id, { subject: "" }, { by: lead })).rejects.toMatchObject({
      code: "task-refused",
    });
    await expect(board.complete(task.id, { by: lead, result: large })).rejects.toMatchObject({
      code: "content-too-large",
    });
    expect(await board.list()).toEqual([task]);
  });
}

function testReleases(open: () => Promise<TaskBoardFixture>): void {
  const test = testWith(open);
  test("releasing a member's tasks frees only the unfinished ones", async ({ board }) => {
    const started = await createTask(board);
    const finished = await createTask(board);
    const others = await createTask(board);
    const { id: assigned } = await board.create({ subject: "x", owner: alice, created_by: lead });
    await board.claim(started.id, { by: alice });
    await board.complete(finished.id, { by: lead });
    await board.claim(others.id, { by: bob });

    const released = await board.releaseAll({ holder: alice, isCounted: false });

    expect(released.map(({ id }) => id)).toEqual([started.id, assigned]);
    const free = { status: "pending", owner: null, lease: null, releases: 0 };
    expect(released).toMatchObject([free, free]);
    expect((await board.claimable()).map(({ id }) => id)).toEqual([started.id, assigned]);
    expect(await board.get(others.id)).toMatchObject({ owner: "bob" });
    expect(await board.releaseAll({ holder: alice, isCounted: true })).toEqual([]);
  });

  test("a late release takes nothing from the next owner", async ({ board }) => {
    const task = await createTask(board);
    const current = await board.claim(task.id, { by: bob });

    const released = await board.release(task.id, { holder: alice, isCounted: true });

    expect(released).toEqual(current);
  });

  test("a task that was released too often fails", async ({ board }) => {
    const task = await createTask(board);
    const giveUp = async () => {
      await board.claim(task.id, { by: alice });
      return board.release(task.id, { holder: alice, isCounted: true });
    };

    for (let count = 1; count < maxReleases; count++) {
      expect(await giveUp()).toMatchObject({ status: "pending", owner: null, releases: count });
    }

    expect(await giveUp()).toMatchObject({ status: "failed", owner: null, lease: null });
    await expect(board.claim(task.id, { by: bob })).rejects.toThrow("Task 1 is failed");
    await board.update(task.id, { status: "pending" }, { by: lead });
    expect(await giveUp()).toMatchObject({ status: "pending", releases: 1 });
  });

  test("uncounted releases never fail a task", async ({ board }) => {
    const task = await createTask(board);

    for (let count = 0; count <= maxReleases; count++) {
      await board.claim(task.id, { by: alice });
      await board.release(task.id, { holder: alice, isCounted: false });
    }

    expect(await board.get(task.id)).toMatchObject({ status: "pending", releases: 0 });
  });

  test("giving up one's own task counts; a release by the lead does not", async ({ board }) => {
    const task = await createTask(board);

    await board.claim(task.id, { by: alice });
    const own = await board.update(task.id, { status: "pending" }, { by: alice });
    await board.claim(task.id, { by: alice });
    const relieved = await board.update(task.id, { owner: null }, { by: lead });

    expect(own.task).toMatchObject({ status: "pending", owner: null, releases: 1 });
    expect(relieved.task).toMatchObject({ status: "pending", owner: null, releases: 1 });
  });
}
