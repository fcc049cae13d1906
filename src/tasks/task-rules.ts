import { TeamError } from "../errors.ts";
import { lead, type MemberName, outside, type TaskId, user } from "../protocol/ids.ts";
import { isContentSize, maxContentBytes } from "../protocol/message.ts";
import type { Task, TaskStatus } from "../protocol/task.ts";
import { openBlockers } from "../protocol/task-state.ts";
import type { TaskChangeOptions, TaskDraft, TaskPatch, TaskRelease } from "./task-board.ts";
import { type Board, requireBlockers } from "./task-dependencies.ts";

/** After so many counted releases a task has failed: nobody seems able to finish it. */
export const maxReleases = 3;

/** Who changes a task, and when. */
export interface TaskAct extends Omit<TaskChangeOptions, "version"> {
  at: Date;
}

/** Decides the next version of a task; the very same object means that nothing changes. */
export type TaskRule = (board: Board, task: Task) => Task;

export function newTask(
  board: Board,
  draft: TaskDraft,
  { id, at }: { id: TaskId; at: Date },
): Task {
  const { subject, description = "", blocked_by = [], owner = null, created_by } = draft;
  requireTexts({ subject, description });
  const time = at.toISOString();
  return {
    id,
    subject,
    description,
    status: "pending",
    owner,
    blocked_by: requireBlockers(board, blocked_by),
    result: null,
    created_by,
    created_at: time,
    updated_at: time,
    version: 1,
    lease: null,
    releases: 0,
  };
}

export function claimTask(board: Board, task: Task, act: TaskAct): Task {
  const isTaken = task.owner !== null && task.owner !== act.by;
  if (isTaken && !isEnded(task.status)) throw ownedByAnother(task);
  return revise(task, start(board, task, act), act.at);
}

export function updateTask(board: Board, task: Task, patch: TaskPatch, act: TaskAct): Task {
  requireMayChange(task, act.by);
  const { subject, description, result, blocked_by } = patch;
  requireTexts({ subject, description, result });
  const edits = {
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description }),
    ...(blocked_by && { blocked_by: requireBlockers(board, blocked_by, task.id) }),
  };
  const moves = move(board, { ...task, ...edits }, patch, act);
  // Last, because a task that is reopened loses its old result.
  const outcome = result === undefined ? {} : { result };
  return revise(task, { ...edits, ...moves, ...outcome }, act.at);
}

/** Takes the task from its holder. A task that `holder` no longer holds stays as it is. */
export function releaseTask(task: Task, { holder, isCounted }: TaskRelease, at: Date): Task {
  return isHeldBy(task, holder) ? revise(task, giveUp(task, isCounted), at) : task;
}

/** True while a member has a task, started or not, that has not ended. */
export function isHeldBy(task: Task, member: MemberName): boolean {
  return task.owner === member && !isEnded(task.status);
}

/**
 * Pending tasks that wait for nothing and belong to nobody, oldest first. What somebody put into the
 * directory by hand is none: it starts nobody by itself.
 */
export function claimableTasks(board: Board): Task[] {
  return [...board.values()].filter(
    (task) =>
      task.status === "pending" &&
      task.owner === null &&
      task.created_by !== outside &&
      openBlockers(board, task).length === 0,
  );
}

/** Throws `task-conflict` where a change is meant for another version than this. */
export function requireVersion({ id, version }: Task, expected: number | undefined): void {
  if (expected === undefined || expected === version) return;
  throw new TeamError(
    "task-conflict",
    `Task ${id} has changed: it is at version ${version}, not ${expected}`,
    { hint: `Look at task ${id} again, then decide.` },
  );
}

type TaskMove = Partial<Pick<Task, "status" | "owner" | "lease" | "result" | "releases">>;

/** The changes that the patch's `status` and `owner` bring. */
function move(board: Board, task: Task, { status, owner }: TaskPatch, act: TaskAct): TaskMove {
  if (status === undefined && (owner === undefined || owner === task.owner)) return {};
  const target = status ?? assignedStatus(task);
  switch (target) {
    case "pending":
      if (isEnded(task.status)) return { ...unstarted, owner: owner ?? null, ...forgotten };
      if (owner) return { ...unstarted, owner };
      if (task.status === "in_progress") return giveUp(task, act.by === task.owner);
      return owner === null ? { owner } : {};
    case "in_progress":
      if (owner === null) throw refusal(task, "cannot be in progress without an owner");
      return start(board, task, { ...act, by: owner ?? task.owner ?? act.by });
    case "completed":
      requireStartable(board, task, act.by);
      return { ...end(task, target), ...(owner !== undefined && { owner }) };
    case "failed":
    case "cancelled":
      return { ...end(task, target), ...(owner !== undefined && { owner }) };
  }
}

const unstarted = { status: "pending", lease: null } satisfies TaskMove;
const forgotten = { result: null, releases: 0 } satisfies TaskMove;

/** The status that a change of owner alone brings about. */
function assignedStatus(task: Task): TaskStatus {
  if (!isEnded(task.status)) return "pending";
  throw refusal(task, `is ${task.status}`, reopening);
}

function start(board: Board, task: Task, { by, at, endedPlan }: TaskAct): TaskMove {
  if (task.status === "in_progress" && task.owner === by) return {};
  if (isEnded(task.status)) throw refusal(task, `is ${task.status}`, reopening);
  requireUnblocked(board, task);
  const lease = {
    ...{ holder: by, since: at.toISOString() },
    ...(endedPlan !== undefined && { ended_plan: endedPlan }),
  };
  return { status: "in_progress", owner: by, lease };
}

function giveUp(task: Task, isCounted: boolean): TaskMove {
  const isGivenUp = isCounted && task.status === "in_progress";
  const releases = task.releases + (isGivenUp ? 1 : 0);
  if (releases < maxReleases || !isGivenUp) return { ...unstarted, owner: null, releases };
  const result = task.result ?? `Given up ${releases} times without being finished`;
  return { status: "failed", owner: null, lease: null, releases, result };
}

function end(task: Task, status: "completed" | "failed" | "cancelled"): TaskMove {
  if (task.status === "completed" || task.status === "cancelled") {
    throw refusal(task, `is already ${task.status}`, reopening);
  }
  return { status, lease: null };
}

/** To be completed a task must have been started, or be such that it could be. */
function requireStartable(board: Board, task: Task, by: MemberName): void {
  if (task.owner === null && !isInCharge(by)) {
    throw refusal(task, "has no owner", `Claim task ${task.id} first, then complete it.`);
  }
  if (task.status !== "in_progress") requireUnblocked(board, task);
}

function requireUnblocked(board: Board, task: Task): void {
  const blockers = openBlockers(board, task);
  if (blockers.length === 0) return;
  throw refusal(
    task,
    `is blocked by ${blockers.join(", ")}`,
    "Wait until these are completed or cancelled, or do one of them first.",
  );
}

function requireMayChange(task: Task, by: MemberName): void {
  if (task.owner !== null && task.owner !== by && !isInCharge(by)) throw ownedByAnother(task);
}

function isInCharge(member: MemberName): boolean {
  return member === lead || member === user;
}

function isEnded(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function requireTexts(texts: Record<string, string | undefined>): void {
  if (texts.subject?.trim() === "") {
    throw new TeamError("task-refused", "A task needs a subject", {
      hint: "Say in one line what is to be done.",
    });
  }
  for (const [field, text = ""] of Object.entries(texts)) {
    if (isContentSize(text)) continue;
    throw new TeamError(
      "content-too-large",
      `The ${field} of a task is at most ${maxContentBytes} bytes long`,
      { hint: "Write it to a file and give the file's path." },
    );
  }
}

/** The next version of `task`, or the very same object where nothing would change. */
function revise(task: Task, changes: Partial<Task>, at: Date): Task {
  if (Object.keys(changes).length === 0) return task;
  return { ...task, ...changes, version: task.version + 1, updated_at: at.toISOString() };
}

const reopening = 'To reopen it, set its status to "pending".';

function ownedByAnother(task: Task): TeamError {
  return refusal(
    task,
    `is owned by '${task.owner}'`,
    `Take another task, write to '${task.owner}', or ask the lead to reassign it.`,
  );
}

function refusal({ id }: Task, reason: string, hint = "Look at the task again."): TeamError {
  return new TeamError("task-refused", `Task ${id} ${reason}`, { hint });
}
