import { describeError, TeamError } from "../../errors.ts";
import type { Unattended } from "../../permissions/approvals.ts";
import { ruleOf } from "../../permissions/persons-question.ts";
import { type RequestId, user } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { Requests } from "../../requests/requests.ts";
import type { Post } from "../post.ts";
import { answerMessage, findQuestion, PersonsAnswer } from "./persons-answer.ts";

/**
 * Decides a request to the person: its answer is the decision. `undefined` leaves the request to the
 * option `approvals`; a throw, or a wrong answer, denies it. `signal` is aborted when the request is
 * decided elsewhere, and when the team is closed: later answers have no effect.
 */
export type OnRequest = (
  request: TeamRequest,
  context: { signal: AbortSignal },
) => PersonsAnswer | undefined | Promise<PersonsAnswer | undefined>;

export interface RequestAnswererOptions {
  requests: Requests;
  post: Post;
  onRequest: OnRequest;
  /** The reason for denying what `onRequest` leaves open (default: it waits for another answer). */
  unattended?: Unattended | undefined;
  onWarning(message: string): void;
}

/**
 * Gives every open request to the person to a program, once in each process: also those that were
 * open at the start. Requests of several members are given to it at the same time.
 */
export class RequestAnswerer implements AsyncDisposable {
  readonly #options: RequestAnswererOptions;
  readonly #open = new Map<RequestId, AbortController>();
  readonly #sending = new Set<Promise<void>>();
  readonly #stopListening: () => void;

  constructor(options: RequestAnswererOptions) {
    this.#options = options;
    this.#stopListening = options.requests.onChange((request) => this.#note(request));
  }

  /** Begins with the requests that are open already. */
  async start(): Promise<void> {
    const open = await this.#options.requests.list({ state: "pending" });
    for (const request of open) this.#note(request);
  }

  /** Does not wait for the program. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening();
    for (const decided of this.#open.values()) decided.abort();
    await Promise.all(this.#sending);
  }

  #note(request: TeamRequest): void {
    const { id, state, to } = request;
    const known = this.#open.get(id);
    if (state !== "pending") {
      known?.abort();
      this.#open.delete(id);
    } else if (!known && to === user) {
      const decided = new AbortController();
      this.#open.set(id, decided);
      void this.#ask(request, decided.signal).then((answer) => {
        if (answer && !decided.signal.aborted) this.#send(request, answer);
      });
    }
  }

  async #ask(request: TeamRequest, signal: AbortSignal): Promise<PersonsAnswer | undefined> {
    const { onRequest, unattended } = this.#options;
    try {
      const answer = await onRequest(request, { signal });
      if (answer !== undefined) return this.#checked(request, answer, signal);
      const reason = unattended?.(ruleOf(request));
      return reason === undefined ? undefined : { decision: "deny", reason };
    } catch (error) {
      const problem = `onRequest failed: ${describeError(error)}`;
      return this.#denied(request, signal, {
        ...{ problem, reason: "the program that decides for the person failed" },
      });
    }
  }

  #checked(request: TeamRequest, answer: unknown, signal: AbortSignal): PersonsAnswer {
    const { data } = PersonsAnswer.safeParse(answer);
    if (data) return data;
    const decisions = "decision must be allow-once, allow-always or deny";
    const problem = `onRequest has given a wrong answer: ${decisions}, and reason a text`;
    return this.#denied(request, signal, { problem, reason: problem });
  }

  #denied(
    { id }: TeamRequest,
    signal: AbortSignal,
    { problem, reason }: { problem: string; reason: string },
  ): PersonsAnswer {
    if (!signal.aborted) this.#options.onWarning(`Request ${id} is denied, because ${problem}`);
    return { decision: "deny", reason };
  }

  #send(request: TeamRequest, answer: PersonsAnswer): void {
    const { requests, post, onWarning } = this.#options;
    const sending = findQuestion(requests, request.id)
      .then((open) => post.send(open.from, answerMessage(open, { hash: request.hash, ...answer })))
      .then(
        () => undefined,
        (error: unknown) => {
          // It was decided elsewhere at the same moment.
          if (error instanceof TeamError && error.code === "request-refused") return;
          onWarning(
            `The answer to request ${request.id} could not be sent: ${describeError(error)}`,
          );
        },
      )
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }
}
