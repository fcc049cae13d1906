import { lead, MemberName } from "../../protocol/ids.ts";
import type { Task } from "../../protocol/task.ts";
import type { TaskBoard } from "../../tasks/task-board.ts";
import type { ManualClock } from "../manual-clock.ts";

/** A new empty board. `reopen` opens the same one as another process. */
export interface TaskBoardFixture extends AsyncDisposable {
  board: TaskBoard;
  clock: ManualClock;
  reopen(): Promise<TaskBoard>;
}

export const alice = MemberName.parse("alice");
export const bob = MemberName.parse("bob");

/** Creates a task that is pending, unblocked and without an owner. */
export function createTask(board: TaskBoard): Promise<Task> {
  return board.create({ subject: "some work", created_by: lead });
}
