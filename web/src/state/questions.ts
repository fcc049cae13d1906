import type { RequestView } from "../../../src/protocol/dashboard.ts";
import type { AnswerBody } from "../../../src/protocol/dashboard-requests.ts";
import type { KnownRoom } from "./known-room.ts";

/**
 * How long a question must not move before it can be answered: a click may be meant for what was
 * there before.
 */
export const stillMs = 500;

export interface SortedQuestions {
  /** For the person, oldest first: a new one moves none of the others. */
  open: readonly RequestView[];
  /** Waiting for somebody else. */
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
  }
}

/**
 * An answer to exactly the shown question. The reason for a denial is left out if it is allowed.
 */
export function answerBody(
  { hash, type }: RequestView,
  decision: AnswerBody["decision"],
  written: string,
): AnswerBody {
  const reason = written.trim();
  const isSaid = reason !== "" && (decision === "deny" || type === "plan");
  return { hash, decision, ...(isSaid && { reason }) };
}

/** The decision on a request, and who made it. */
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

/** The announcement for new questions in `open`. */
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

/** The tab's title: what waits for the person comes first. */
export function titleOf(open: number, team: string | null): string {
  const title = team === null ? "Troupe" : `${team} · Troupe`;
  return open > 0 ? `(${open}) ${title}` : title;
}

function byAsking(a: RequestView, b: RequestView): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
