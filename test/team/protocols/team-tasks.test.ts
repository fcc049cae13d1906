import { expect, test } from "vitest";
import { lead, outside } from "../../../src/protocol/ids.ts";
import { StoredTaskBoard } from "../../../src/tasks/stored-task-board.ts";
import { TeamTasks } from "../../../src/team/protocols/team-tasks.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";

test("the runtime gives nobody a task that was written by hand", async () => {
  const board = new StoredTaskBoard({ clock: new ManualClock() });
  const tasks = new TeamTasks({
    board,
    post: { send: () => Promise.reject(new Error("Nobody is to be told")) },
    roster: () => Promise.reject(new Error("Nobody is looked up")),
    isWaiting: () => false,
    approvedPlanOf: () => undefined,
    onTaken: async () => undefined,
  });
  await board.create({ subject: "from a file", created_by: outside });
  const own = await board.create({ subject: "from the lead", created_by: lead });

  expect(await tasks.claimable()).toEqual([own]);
});
