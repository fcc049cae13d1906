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
  /** Adds a pending task, and resolves to it with its id. */
  create(draft: TaskDraft): Promise<Task>;
  /** Throws `task-unknown` where there is none; the hint names those there are. */
  get(id: TaskId): Promise<Task>;
  /** Oldest first. */
  list(): Promise<Task[]>;
  /** Pending tasks that wait for nothing and belong to nobody, oldest first. */
  claimable(): Promise<Task[]>;
  /** Starts a task as its owner. Claiming one's own again changes nothing. */
  claim(id: TaskId, change: TaskChangeOptions): Promise<Task>;
  /** Ends a task as done, with its result. */
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

/** A task before it has an id and a time. */
export interface TaskDraft {
  /** What is to be done, in a line. */
  subject: string;
  /** The member that adds the task, or the person. */
  created_by: MemberName;
  /** All that its owner has to know (default: an empty text). */
  description?: string | undefined;
  /** The tasks that have to be completed or cancelled before it can start (default: none). */
  blocked_by?: readonly TaskId[] | undefined;
  /** The member that is to do it (default: nobody, so that any member can claim it). */
  owner?: MemberName | undefined;
}

/** The fields of a task that change; those that are left out stay as they are. */
export interface TaskPatch {
  /** The status that the task moves to. */
  status?: TaskStatus | undefined;
  /** The member that the task is handed to; null takes it from its owner. */
  owner?: MemberName | null | undefined;
  /** What is to be done, in a line. */
  subject?: string | undefined;
  /** All that its owner has to know. */
  description?: string | undefined;
  /** All tasks that have to be completed or cancelled before it can start, instead of those so far. */
  blocked_by?: readonly TaskId[] | undefined;
  /** What came of the task. */
  result?: string | undefined;
}

/** Who changes a task, and which version of it. */
export interface TaskChangeOptions {
  /** The member that makes the change, or the person. */
  by: MemberName;
  /** The version the change is meant for (default: the current one). */
  version?: number | undefined;
  /** Where the change starts a task: the approved plan of its new owner, which ends by that. */
  endedPlan?: RequestId | null | undefined;
}

/** Who completes a task, and with what result. */
export interface TaskCompletion extends TaskChangeOptions {
  /** What came of the task, for later readers (default: the result stays as it is). */
  result?: string | undefined;
}

/** From whom tasks are taken back, and whether that counts as a failed attempt. */
export interface TaskRelease {
  /** The member that has the task, started or not. */
  holder: MemberName;
  /** True for work given up: after `maxReleases` of these a task has failed. */
  isCounted: boolean;
}

/** What a change of a task has led to. */
export interface TaskChange {
  /** The task after the change. */
  task: Task;
  /** The tasks that the change has unblocked, so that their owners can be woken. */
  unblocked: Task[];
}
