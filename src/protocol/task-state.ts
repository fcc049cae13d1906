import type { Task } from "./task.ts";

/**
 * True for a completed or cancelled task: no other task waits for it. A failed one may still be
 * done by another member.
 */
export function isSettled(task: Pick<Task, "status"> | undefined): boolean {
  return task?.status === "completed" || task?.status === "cancelled";
}

/** True for a task that somebody works on, or can begin. */
export function isOpen({ status }: Pick<Task, "status">): boolean {
  return status === "pending" || status === "in_progress";
}

/** The tasks that `task` still waits for. One that cannot be found counts as unfinished. */
export function openBlockers<Id extends string>(
  board: { get(id: Id): Pick<Task, "status"> | undefined },
  task: { blocked_by: readonly Id[] },
): Id[] {
  return task.blocked_by.filter((id) => !isSettled(board.get(id)));
}
