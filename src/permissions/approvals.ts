import { reasonOf } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { isLeaving } from "../lib/leaving.ts";
import { onAbort } from "../lib/on-abort.ts";
import { WakeLatch } from "../lib/wake-latch.ts";
import { type MemberName, user } from "../protocol/ids.ts";
import type { PermissionSubject, TeamRequest } from "../protocol/request.ts";
import { hashSubject } from "../requests/request-rules.ts";
import type { Requests } from "../requests/requests.ts";
import { unlessDecided } from "../requests/requests.ts";

/** A call that a person is asked about. An approval allows exactly this call. */
export interface Question {
  member: MemberName;
  callId: string;
  tool: string;
  input: unknown;
  /** Why it is asked. */
  reason: string;
  /** The rule that would allow such calls always, if one can. */
  suggestedRule: string | undefined;
  /** What the call would do, if its tool says so in words. */
  summary: string | undefined;
  /** Set where it is about a host that commands want to reach. */
  host?: string;
  /** True when an earlier process may have asked already. */
  mayBeOpen: boolean;
}

export type ApprovalAnswer =
  | { type: "allowed" }
  | { type: "denied"; reason: string }
  /** The signal was aborted before anybody answered. If the process is exiting, the question stays open. */
  | { type: "stopped" };

/** Says why nobody can be asked, and how to allow the call, by a rule if there is one. */
export type Unattended = (suggestedRule: string | undefined) => string;

export interface ApprovalsOptions {
  clock: Clock;
  /** How long a question waits for its answer (default: forever). */
  timeoutMs?: number;
  /** Set if nobody can answer: every question expires at once. */
  unattended?: Unattended | undefined;
}

/** Asks a person, and waits. */
export interface Approvals {
  ask(question: Question, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/**
 * Approvals as requests of the team: on disk before anybody is asked, and found again after a
 * restart, pending or decided, by the hash of the question.
 */
export class RequestApprovals implements Approvals {
  readonly #requests: Requests;
  readonly #options: ApprovalsOptions | undefined;

  /** Without options, every question waits until it is answered. */
  constructor(requests: Requests, options?: ApprovalsOptions) {
    this.#requests = requests;
    this.#options = options;
  }

  async ask(question: Question, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { member: from, mayBeOpen } = question;
    const subject = subjectOf(question);
    const hash = hashSubject(subject);
    const known = mayBeOpen ? await this.#find(question, hash) : undefined;
    const asked =
      known ?? (await this.#requests.open({ type: "permission", from, to: user, subject }));
    const unattended = this.#options?.unattended;
    if (asked.state === "pending" && unattended !== undefined) {
      await this.#expire(asked, reasonBy(unattended, question.suggestedRule));
    }
    const request = await this.#decided(asked, signal);
    if (request) return answerOf(request, hash);
    // An exiting process asks again at its next start; an interrupted call is cancelled.
    if (!isLeaving(signal)) {
      await unlessDecided(this.#requests.cancel(asked.id, from, "interrupted"));
    }
    return { type: "stopped" };
  }

  /**
   * The same question, asked by an earlier process. It may have been answered since. Where that process
   * asked something else about the call, because a hook decided differently, that is no longer asked.
   */
  async #find({ member: from, callId }: Question, hash: string): Promise<TeamRequest | undefined> {
    const asked = await this.#requests.list({ type: "permission", from });
    for (const request of asked) {
      const isOther = request.hash !== hash && request.state === "pending";
      if (!isOther || request.type !== "permission" || request.subject.call_id !== callId) continue;
      await unlessDecided(this.#requests.cancel(request.id, from, "the call was changed"));
    }
    return asked.findLast(
      ({ hash: other, state }) =>
        other === hash && ["pending", "approved", "rejected"].includes(state),
    );
  }

  /**
   * Resolves to the request once it is decided or has expired, or to undefined when `signal` is
   * aborted before.
   */
  async #decided(asked: TeamRequest, signal: AbortSignal): Promise<TeamRequest | undefined> {
    const { id } = asked;
    const latch = new WakeLatch();
    const settle = () => latch.wake();
    let lateness: string | undefined;
    const stopListening = this.#requests.onChange((request) => {
      if (request.id === id && request.state !== "pending") settle();
    });
    const stopWaiting = onAbort(signal, settle);
    const stopClock = this.#onTimeout((reason) => {
      lateness = reason;
      settle();
    });
    try {
      // It may have been decided before anybody listened.
      const current = await this.#requests.get(id);
      if (current.state !== "pending") return current;
      await latch.next();
      if (lateness !== undefined) await this.#expire(asked, lateness);
      const decided = await this.#requests.get(id);
      return decided.state === "pending" ? undefined : decided;
    } finally {
      stopListening();
      stopWaiting();
      stopClock();
    }
  }

  /** Calls `tell` with the reason when a question has waited long enough. */
  #onTimeout(tell: (reason: string) => void): () => void {
    if (this.#options?.timeoutMs === undefined) return () => {};
    const { clock, timeoutMs } = this.#options;
    const reason = `nobody answered within ${timeoutMs / 1000} s`;
    return clock.schedule(timeoutMs, () => tell(reason));
  }

  async #expire({ id }: TeamRequest, reason: string): Promise<void> {
    await unlessDecided(this.#requests.expire(id, reason));
  }
}

/** A program's function that fails denies the call all the same. */
function reasonBy(unattended: Unattended, rule: string | undefined): string {
  try {
    return String(unattended(rule));
  } catch (error) {
    return `nobody is there to decide, and the function for that case failed: ${reasonOf(error)}`;
  }
}

function subjectOf(question: Question): PermissionSubject {
  const { callId, tool, input, reason, suggestedRule: rule, summary, host } = question;
  return {
    call_id: callId,
    tool,
    input: input ?? null,
    reason,
    ...(rule && { rule }),
    ...(summary && { summary }),
    ...(host && { host }),
  };
}

/** `hash` is that of the call that is about to run: an approval of anything else allows nothing. */
function answerOf(request: TeamRequest, hash: string): ApprovalAnswer {
  const { state, decision } = request;
  if (state === "approved" && decision?.hash === hash && request.hash === hash) {
    return { type: "allowed" };
  }
  return { type: "denied", reason: decision?.reason ?? `the request was ${state}` };
}
