import type { Task } from "../../protocol/task.ts";
import { isOpen, openBlockers } from "../../protocol/task-state.ts";
import { onOneLine } from "./on-one-line.ts";

/** Longer lists are cut; other tasks can be read by id. */
const maxLines = 200;

/**
 * All tasks in the given order, oldest first. If there are too many, old ones are left out, ended
 * ones first.
 */
export function taskList(tasks: readonly Task[]): string {
  if (tasks.length === 0) return "No tasks.";
  const board = new Map(tasks.map((task) => [task.id, task]));
  const shown = mostRelevant(tasks);
  const lines = tasks
    .filter((task) => shown.has(task))
    .map((task) => `${task.id} ${taskState(task, openBlockers(board, task))}`);
  const left = tasks.length - lines.length;
  if (left > 0) lines.unshift(`(${left} older tasks are left out; get_task shows them by id)`);
  return lines.join("\n");
}

function mostRelevant(tasks: readonly Task[]): ReadonlySet<Task> {
  const newestFirst = tasks.toReversed();
  const open = newestFirst.filter(isOpen);
  const ended = newestFirst.filter((task) => !isOpen(task));
  return new Set([...open, ...ended].slice(0, maxLines));
}

/** How a task is doing, such as `[in_progress] Fix the parser (alice), blocked by 1, 2`. */
export function taskState({ status, subject, owner }: Task, blockers: Task["blocked_by"]): string {
  return `[${status}] ${onOneLine(subject)}${owner ? ` (${owner})` : ""}${blockedBy(blockers)}`;
}

export function blockedBy(blockers: Task["blocked_by"]): string {
  return blockers.length > 0 ? `, blocked by ${blockers.join(", ")}` : "";
}

export function unblockedLine(unblocked: readonly Task[]): string {
  return unblocked.length > 0 ? `\nUnblocked: ${unblocked.map(({ id }) => id).join(", ")}` : "";
}
