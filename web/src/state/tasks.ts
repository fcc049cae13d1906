import type { TaskView } from "../../../src/protocol/dashboard.ts";

export type Status = TaskView["status"];

/** The label of every status, the most important first. */
export const statuses: readonly { status: Status; word: string }[] = [
  { status: "in_progress", word: "in progress" },
  { status: "failed", word: "failed" },
  { status: "pending", word: "pending" },
  { status: "completed", word: "completed" },
  { status: "cancelled", word: "cancelled" },
];

export function statusWord(status: Status): string {
  return statuses.find((each) => each.status === status)?.word ?? status;
}

/** The position of a status in that order. */
export function rankOf(status: Status): number {
  return statuses.findIndex((each) => each.status === status);
}
