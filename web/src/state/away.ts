import type { AwayView, RequestView, TaskView } from "../../../src/protocol/dashboard.ts";
import { counted } from "./amounts.ts";

/** A shorter absence does not count. */
const awayMs = 2 * 60_000;

/** Since when the person has been away; null if they were not. */
export function awaySince(lastSeen: string | null, now: number): string | null {
  if (lastSeen === null) return null;
  const at = Date.parse(lastSeen);
  return Number.isNaN(at) || now - at <= awayMs ? null : new Date(at).toISOString();
}

/** The content of the panel: new and decided requests, and tasks by their result. */
export interface AwaySummary {
  finished: readonly TaskView[];
  others: number;
  asked: readonly RequestView[];
  decided: readonly RequestView[];
}

export function awaySummary({ since, tasks, requests }: AwayView): AwaySummary {
  const finished = tasks.filter(({ status }) => status === "completed" || status === "failed");
  return {
    finished,
    others: tasks.length - finished.length,
    asked: requests.filter(({ state }) => state === "pending"),
    decided: requests.filter(({ decision }) => decision !== null && decision.at >= since),
  };
}

export function isEventful({ messages, results, tasks, requests }: AwayView): boolean {
  return messages + results.length + tasks.length + requests.length > 0;
}

/** The summary in one line. */
export function awayLine(away: AwayView): string {
  const parts = [
    `${away.has_more ? "more than " : ""}${counted(away.messages, "message")}`,
    counted(away.results.length, "result"),
    `${counted(away.tasks.length, "task")} changed`,
    counted(away.requests.length, "question"),
  ];
  return parts.filter((part) => !part.startsWith("0 ")).join(", ");
}
