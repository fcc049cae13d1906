import type { TaskView } from "../../../../src/protocol/dashboard.ts";
import { rankOf, type Status } from "../../state/tasks.ts";
import { byId } from "./task-graph.ts";

export interface TaskFilter {
  /** Null for all. */
  status: Status | null;
  /** Null for any owner, "" for tasks without an owner. */
  owner: string | null;
}

export function filteredTasks(
  tasks: Iterable<TaskView>,
  { status, owner }: TaskFilter,
): ReadonlyMap<string, TaskView> {
  const left = [...tasks]
    .filter((task) => status === null || task.status === status)
    .filter((task) => owner === null || (task.owner ?? "") === owner);
  return new Map(left.map((task) => [task.id, task]));
}

export type SortKey = "id" | "subject" | "status" | "owner" | "updated_at";

export interface Sorting {
  by: SortKey;
  isDescending: boolean;
}

/** Sorted; equal tasks by their ids. Tasks without an owner come last. */
export function sortedTasks(tasks: Iterable<TaskView>, { by, isDescending }: Sorting): TaskView[] {
  const sign = isDescending ? -1 : 1;
  return [...tasks].sort((a, b) => sign * compared(a, b, by) || byId(a.id, b.id));
}

function compared(a: TaskView, b: TaskView, by: SortKey): number {
  switch (by) {
    case "id":
      return byId(a.id, b.id);
    case "status":
      return rankOf(a.status) - rankOf(b.status);
    case "owner":
      if (a.owner === null || b.owner === null)
        return Number(a.owner === null) - Number(b.owner === null);
      return a.owner.localeCompare(b.owner);
    case "subject":
    case "updated_at":
      return a[by].localeCompare(b[by]);
  }
}
