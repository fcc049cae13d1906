import fc from "fast-check";
import { expect, test } from "vitest";
import { TeamError } from "../../src/errors.ts";
import { lead, MemberName, TaskId } from "../../src/protocol/ids.ts";
import { TaskStatus } from "../../src/protocol/task.ts";
import { openBlockers } from "../../src/protocol/task-state.ts";
import { StoredTaskBoard } from "../../src/tasks/stored-task-board.ts";
import type { TaskBoard } from "../../src/tasks/task-board.ts";

import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

type Step = (board: TaskBoard) => Promise<unknown>;

const anyMember = fc.constantFrom(lead, MemberName.parse("alice"), MemberName.parse("bob"));
const anyId = fc.constantFrom("1", "2", "3", "4").map((id) => TaskId.parse(id));
const anyIds = fc.array(anyId, { maxLength: 3 });
const anyVersion = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 4 });
const anyPatch = fc.record(
  {
    status: fc.constantFrom(...TaskStatus.options),
    owner: fc.option(anyMember),
    blocked_by: anyIds,
    result: fc.constant("result"),
  },
  { requiredKeys: [] },
);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  anyIds.map(
    (blocked_by): Step =>
      (board) =>
        board.create({ subject: "x", blocked_by, created_by: lead }),
  ),
  fc.tuple(anyId, anyMember, anyVersion).map(
    ([id, by, version]): Step =>
      (board) =>
        board.claim(id, { by, version }),
  ),
  fc.tuple(anyId, anyMember).map(
    ([id, by]): Step =>
      (board) =>
        board.complete(id, { by }),
  ),
  fc.tuple(anyId, anyPatch, anyMember).map(
    ([id, patch, by]): Step =>
      (board) =>
        board.update(id, patch, { by }),
  ),
  fc.tuple(anyMember, fc.boolean()).map(
    ([holder, isCounted]): Step =>
      (board) =>
        board.releaseAll({ holder, isCounted }),
  ),
);

test("both boards make the same decisions after any changes, and stay consistent", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 20 }), async (steps) => {
      await using directory = await temporaryDirectory();
      const clock = new ManualClock();
      const problems: string[] = [];
      const onDamage = (problem: string) => void problems.push(problem);
      const files = StoredTaskBoard.inFiles({ directory: directory.path, clock, onDamage });
      const memory = new StoredTaskBoard({ clock });

      for (const step of steps) {
        expect(await outcomeOf(step(files))).toEqual(await outcomeOf(step(memory)));
        expect(await files.list()).toEqual(await memory.list());
        await expectSound(memory);
      }
      expect(problems).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

async function outcomeOf(change: Promise<unknown>): Promise<unknown> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return { code: error.code, message: error.message, hint: error.hint };
  }
}

/** What holds on every board that only its own rules have changed. */
async function expectSound(board: TaskBoard): Promise<void> {
  const tasks = await board.list();
  for (const task of tasks) {
    const isStarted = task.status === "in_progress";
    expect(task.lease?.holder ?? null).toBe(isStarted ? task.owner : null);
    if (isStarted) expect(task.owner).not.toBeNull();
  }
  const byId = new Map(tasks.map((task) => [task.id, task]));
  for (const task of await board.claimable()) {
    expect(task).toMatchObject({ status: "pending", owner: null });
    expect(openBlockers(byId, task)).toEqual([]);
  }
  // Without circles, taking away what waits for nothing in the rest leaves nothing in the end.
  let rest = tasks;
  for (let size = -1; rest.length !== size; ) {
    size = rest.length;
    const ids = new Set(rest.map(({ id }) => id));
    rest = rest.filter(({ blocked_by }) => blocked_by.some((id) => ids.has(id)));
  }
  expect(rest).toEqual([]);
}
