import { TeamError } from "../errors.ts";
import { isLeaving } from "../lib/leaving.ts";
import { type MemberName, user } from "../protocol/ids.ts";
import type { Request } from "../protocol/request.ts";
import { hashSubject } from "../requests/hash-subject.ts";
import type { Requests } from "../requests/requests.ts";

/** A call that a person is asked about. Exactly this is what an approval allows. */
export interface Question {
  member: MemberName;
  callId: string;
  tool: string;
  input: unknown;
  /** Why it is asked. */
  reason: string;
  /** The rule that would allow such calls always, if one can. */
  suggestedRule: string | undefined;
  /** True when an earlier process may have asked already. */
  mayBeOpen: boolean;
}

export type ApprovalAnswer =
  | { type: "allowed" }
  | { type: "denied"; reason: string }
  /** The signal was aborted before anybody answered. Who leaves leaves the question open. */
  | { type: "stopped" };

/** Why nobody can be asked, and how to allow the call, by a rule if there is one. */
export type Unattended = (suggestedRule: string | undefined) => string;

/** Asks a person, and waits. */
export interface Approvals {
  ask(question: Question, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/**
 * Approvals as requests of the team: on disk before anybody is asked, and found again after a
 * restart, pending or decided, by the hash of exactly what is asked.
 */
export class RequestApprovals implements Approvals {
  readonly #requests: Requests;
  readonly #unattended: Unattended | undefined;

  /** With `unattended`, nobody is there to answer: every question expires at once. */
  constructor(requests: Requests, { unattended }: { unattended?: Unattended } = {}) {
    this.#requests = requests;
    this.#unattended = unattended;
  }

  async ask(question: Question, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { member: from, mayBeOpen } = question;
    const subject = subjectOf(question);
    const hash = hashSubject(subject);
    const known = mayBeOpen ? await this.#find(from, hash) : undefined;
    const asked =
      known ?? (await this.#requests.open({ type: "permission", from, to: user, subject }));
    const unattended = this.#unattended;
    if (asked.state === "pending" && unattended !== undefined) {
      const reason = unattended(question.suggestedRule);
      await unlessDecided(() => this.#requests.expire(asked.id, reason));
    }
    const request = await this.#decided(asked, signal);
    if (request) return answerOf(request, hash);
    // Whoever leaves comes back to the question; an interrupted call is not made any more.
    if (!isLeaving(signal)) {
      await unlessDecided(() => this.#requests.cancel(asked.id, from, "interrupted"));
    }
    return { type: "stopped" };
  }

  /** The question that an earlier process has asked in exactly these words. */
  async #find(from: MemberName, hash: string): Promise<Request | undefined> {
    return (await this.#requests.list()).findLast(
      (request) =>
        request.type === "permission" &&
        request.from === from &&
        request.hash === hash &&
        (request.state === "pending" || request.state === "approved"),
    );
  }

  /** Resolves to the request once it is decided, or to undefined when `signal` is aborted before. */
  async #decided({ id }: Request, signal: AbortSignal): Promise<Request | undefined> {
    let settle = () => {};
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const stopListening = this.#requests.onChange((request) => {
      if (request.id === id && request.state !== "pending") settle();
    });
    signal.addEventListener("abort", settle, { once: true });
    try {
      // It may have been decided before anybody listened.
      const current = await this.#requests.get(id);
      if (current.state !== "pending") return current;
      if (signal.aborted) return undefined;
      await settled;
      const decided = await this.#requests.get(id);
      return decided.state === "pending" ? undefined : decided;
    } finally {
      stopListening();
      signal.removeEventListener("abort", settle);
    }
  }
}

/** The person may have answered at the same moment: then that answer stands. */
async function unlessDecided(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof TeamError) || error.code !== "request-refused") throw error;
  }
}

function subjectOf(question: Question): Record<string, unknown> {
  const { callId, tool, input, reason, suggestedRule: rule } = question;
  return { call_id: callId, tool, input: input ?? null, reason, ...(rule && { rule }) };
}

/** `hash` is that of what is about to run: an approval of anything else allows nothing. */
function answerOf(request: Request, hash: string): ApprovalAnswer {
  const { state, decision } = request;
  if (state === "approved" && decision?.hash === hash && request.hash === hash) {
    return { type: "allowed" };
  }
  return { type: "denied", reason: decision?.reason ?? `the request was ${state}` };
}
