import type { MemberName, RequestId, TaskId } from "../protocol/ids.ts";
import type { Task, TaskStatus } from "../protocol/task.ts";

/**
 * The work a team shares. Any process may look and change.
 *
 * Every backend promises, and src/testing/conformance/task-board.ts checks, that:
 * - once a change resolves it survives a crash, and it has raised the task's `version` by one;
 * - a change that is refused changes nothing; one that names a `version` is refused with
 *   `task-conflict` unless the task still has it;
 * - a task has at most one owner, however many claim it at once: the others get `task-refused`;
 * - a task that waits for others is not started, and no tasks wait for each other in a circle;
 * - only its owner, the lead and the person change a task that has an owner;
 * - whichever change frees a task from its last blocker says so;
 * - no task disappears, and no id is used twice.
 */
export interface TaskBoard {
  create(draft: TaskDraft): Promise<Task>;
  /** Throws `task-unknown` where there is none; the hint names those there are. */
  get(id: TaskId): Promise<Task>;
  /** Oldest first. */
  list(): Promise<Task[]>;
  /** Pending tasks that wait for nothing and belong to nobody, oldest first. */
  claimable(): Promise<Task[]>;
  /** Starts a task as its owner. Claiming one's own again changes nothing. */
  claim(id: TaskId, change: TaskChangeOptions): Promise<Task>;
  complete(id: TaskId, change: TaskCompletion): Promise<TaskChange>;
  /**
   * Edits a task and moves it on. To give it up is `status: "pending"` or `owner: null`; to hand it
   * over is `owner`, and the new owner claims it; `status: "pending"` also reopens one that ended.
   */
  update(id: TaskId, patch: TaskPatch, change: TaskChangeOptions): Promise<TaskChange>;
  /** Takes a task back from `holder`. A task that `holder` no longer holds stays as it is. */
  release(id: TaskId, release: TaskRelease): Promise<Task>;
  /** Takes back all that `holder` has not finished, and returns what it held. */
  releaseAll(release: TaskRelease): Promise<Task[]>;
  /**
   * Calls `listener` after each change, of this process or another one; one that
   * throws breaks no change. Returns how to stop it.
   */
  onChange(listener: (task: Task) => void): () => void;
}

export interface TaskDraft {
  subject: string;
  created_by: MemberName;
  description?: string | undefined;
  blocked_by?: readonly TaskId[] | undefined;
  owner?: MemberName | undefined;
}

export interface TaskPatch {
  status?: TaskStatus | undefined;
  owner?: MemberName | null | undefined;
  subject?: string | undefined;
  description?: string | undefined;
  blocked_by?: readonly TaskId[] | undefined;
  result?: string | undefined;
}

export interface TaskChangeOptions {
  by: MemberName;
  /** The version the change is meant for (default: the current one). */
  version?: number | undefined;
  /** Where the change starts a task: the approved plan of its new owner, which ends by that. */
  endedPlan?: RequestId | null | undefined;
}

export interface TaskCompletion extends TaskChangeOptions {
  result?: string | undefined;
}

export interface TaskRelease {
  holder: MemberName;
  /** True for work given up: after `maxReleases` of these a task has failed. */
  isCounted: boolean;
}

export interface TaskChange {
  task: Task;
  /** The tasks that the change has unblocked, so that their owners can be woken. */
  unblocked: Task[];
}
