import type { TaskView } from "../../../src/protocol/dashboard.ts";

export type Status = TaskView["status"];

/** Every status with its word, in the order in which they matter: what is under way first. */
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

/** The place of a status in their order. */
export function rankOf(status: Status): number {
  return statuses.findIndex((each) => each.status === status);
}
