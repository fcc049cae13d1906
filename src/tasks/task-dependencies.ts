import { TeamError } from "../errors.ts";
import type { TaskId } from "../protocol/ids.ts";
import type { Task } from "../protocol/task.ts";
import { isOpen, isSettled, openBlockers } from "../protocol/task-state.ts";

/** All tasks by id, oldest first. */
export type Board = ReadonlyMap<TaskId, Task>;

/** The task with this id, or `task-unknown`. */
export function requireTask(board: Board, id: TaskId): Task {
  const task = board.get(id);
  if (task) return task;
  const shown = [...board.keys()].slice(-maxShown);
  const more = board.size > shown.length ? ` and ${board.size - shown.length} older` : "";
  throw new TeamError("task-unknown", `There is no task ${id}`, {
    hint: shown.length > 0 ? `Tasks: ${shown.join(", ")}${more}.` : "The board is empty.",
  });
}

/** `blocked_by` for the task `id`, each once, or an error if that cannot be waited for. */
export function requireBlockers(
  board: Board,
  blocked_by: readonly TaskId[],
  id?: TaskId,
): TaskId[] {
  const blockers = [...new Set(blocked_by)];
  for (const blocker of blockers) requireTask(board, blocker);
  const task = id && board.get(id);
  if (task) requireNoCircle(new Map(board).set(id, { ...task, blocked_by: blockers }), id);
  return blockers;
}

/** Throws `task-refused` where `id` waits for itself, however many others are between. */
export function requireNoCircle(board: Board, id: TaskId): void {
  const circle = findCircle(board, id);
  if (!circle) return;
  const path = circle.length > maxShown ? [...circle.slice(0, maxShown), "…", id] : circle;
  throw new TeamError("task-refused", `Task ${id} would wait for itself: ${path.join(" → ")}`, {
    hint: "Leave one of these out of blocked_by.",
  });
}

/** The tasks that the change of task `id` has unblocked. */
export function findUnblocked(before: Board, after: Board, id: TaskId): Task[] {
  const isEnd = !isSettled(before.get(id)) && isSettled(after.get(id));
  const waited = (task: Task) => {
    if (task.id !== id) return isEnd && task.blocked_by.includes(id);
    const earlier = before.get(id);
    return earlier !== undefined && openBlockers(before, earlier).length > 0;
  };
  return [...after.values()].filter(
    (task) => isOpen(task) && waited(task) && openBlockers(after, task).length === 0,
  );
}

/** The shortest way from `start` along `blocked_by` back to it. */
function findCircle(board: Board, start: TaskId): TaskId[] | undefined {
  const waiters = new Map<TaskId, TaskId>();
  const found = [start];
  for (const id of found) {
    for (const blocker of board.get(id)?.blocked_by ?? []) {
      if (blocker === start) return [...pathTo(id, waiters), start];
      if (waiters.has(blocker)) continue;
      waiters.set(blocker, id);
      found.push(blocker);
    }
  }
  return undefined;
}

function pathTo(end: TaskId, waiters: ReadonlyMap<TaskId, TaskId>): TaskId[] {
  const path: TaskId[] = [];
  for (let id: TaskId | undefined = end; id; id = waiters.get(id)) path.unshift(id);
  return path;
}

const maxShown = 20;
