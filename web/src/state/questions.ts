import type { RequestView } from "../../../src/protocol/dashboard.ts";
import type { AnswerBody } from "../../../src/protocol/dashboard-requests.ts";
import type { KnownRoom } from "./known-room.ts";

/**
 * How long a question must not move before it can be answered. An earlier click may be meant for
 * something else at that position.
 */
export const stillMs = 500;

export interface SortedQuestions {
  /** For the person, oldest first, so that a new one does not move the others. */
  open: readonly RequestView[];
  /** Waiting for another member. */
  elsewhere: readonly RequestView[];
  /** Newest first. */
  decided: readonly RequestView[];
}

const keptDecided = 50;

export function questionsOf(room: KnownRoom): SortedQuestions {
  const all = [...room.requests.values()].sort(byAsking);
  const open = all.filter(({ is_open }) => is_open);
  const elsewhere = all.filter(({ is_open, state }) => !is_open && state === "pending");
  const decided = all.filter(({ is_open, state }) => !is_open && state !== "pending");
  return { open, elsewhere, decided: decided.reverse().slice(0, keptDecided) };
}

/** The first words of a question. */
export function askingText({ type, tool }: RequestView): string {
  switch (type) {
    case "permission":
      return `wants to use ${tool ?? "a tool"}`;
    case "plan":
      return "submits a plan";
    case "shutdown":
      return "is to shut down";
    case "result":
      return "asks for a result";
  }
}

/** An answer to exactly the shown question. An approval has no reason. */
export function answerBody(
  { hash, type }: RequestView,
  decision: AnswerBody["decision"],
  written: string,
): AnswerBody {
  const reason = written.trim();
  const isSaid = reason !== "" && (decision === "deny" || type === "plan");
  return { hash, decision, ...(isSaid && { reason }) };
}

/** The decision on a request and its author. */
export function decisionText({ state, type, decision }: RequestView): string {
  const by = decision ? ` by ${decision.by === "user" ? "you" : decision.by}` : "";
  switch (state) {
    case "pending":
      return "waits for an answer";
    case "approved":
      return `${type === "permission" ? "allowed" : "approved"}${decision?.rule ? " always" : ""}${by}`;
    case "rejected":
      return `${type === "permission" ? "denied" : "rejected"}${by}`;
    case "expired":
      return "expired";
    case "cancelled":
      return "withdrawn";
  }
}

/** The announcement of new questions for screen readers. */
export function announcement(
  open: readonly RequestView[],
  announced: ReadonlySet<string>,
): string | null {
  const fresh = open.filter(({ id }) => !announced.has(id));
  const last = fresh.at(-1);
  if (!last) return null;
  const waiting = open.length === 1 ? "1 question waits" : `${open.length} questions wait`;
  return `${last.from} ${askingText(last)}. ${waiting} for you.`;
}

/** The tab's title, which begins with the number of open questions. */
export function titleOf(open: number, team: string | null): string {
  const title = team === null ? "Troupe" : `${team} · Troupe`;
  return open > 0 ? `(${open}) ${title}` : title;
}

function byAsking(a: RequestView, b: RequestView): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
