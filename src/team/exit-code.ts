import { isUnlanded, type Landing, landingIsOff } from "../protocol/landing.ts";
import type { Task } from "../protocol/task.ts";
import type { TeamSummary } from "./summary.ts";

export const exitCodes = { done: 0, error: 1, unfinished: 3, limit: 4 } as const;

/** The exit code of a headless run: never 0 with unfinished work. */
export function exitCodeOf(summary: TeamSummary): number {
  const { end, members, tasks, undecided, landings } = summary;
  if (end?.isUnanswered) return exitCodes.error;
  if (end?.outcome === "turn-limit" || end?.outcome === "budget") return exitCodes.limit;
  const hasFailed = members.some(({ status }) => status === "failed");
  const hasOpenTask = tasks.some(isUnfinished);
  const isOpen = hasOpenTask || undecided.length > 0 || landings.some(isUnfinishedLanding);
  const isDone = end?.outcome === "done" && !hasFailed && !isOpen;
  return isDone ? exitCodes.done : exitCodes.unfinished;
}

/** The unfinished work, one line each, for a person. */
export function unfinishedLines({
  end,
  members,
  tasks,
  undecided,
  landings,
}: TeamSummary): string[] {
  return [
    ...(end?.reason ? [`${end.outcome}: ${end.reason}`] : []),
    ...(end?.hint ? [end.hint] : []),
    ...members
      .filter(({ name, status }) => status === "failed" && name !== "lead")
      .map(({ name }) => `'${name}' has failed`),
    ...tasks
      .filter(isUnfinished)
      .map(({ id, status, subject }) => `task ${id} is ${status}: ${subject}`),
    ...landings
      .filter(isUnfinishedLanding)
      .map(({ id, member, state }) => `the work of '${member}' (landing ${id}) is ${state}`),
    ...undecided.map(({ id, type, from }) => `a ${type} request of '${from}' is undecided: ${id}`),
  ];
}

/** Where landing is off, the person has it in their own hands. */
function isUnfinishedLanding({ state, reason }: Landing): boolean {
  return isUnlanded({ state }) && !(state === "taken" && reason === landingIsOff);
}

/** A failed task is not open, but somebody has to know of it. */
function isUnfinished({ status }: Task): boolean {
  return status !== "completed" && status !== "cancelled";
}
