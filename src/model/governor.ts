import type { Clock } from "../lib/clock.ts";
import { wait } from "../lib/wait.ts";
import type { TokenUsage } from "../protocol/usage.ts";
import { type RequestSlot, RequestSlots } from "./governor/request-slots.ts";
import type { Model, ModelPart, ModelRequest } from "./model.ts";
import { type FailureKind, isRetryable, type ModelFailure } from "./model-failure.ts";

export interface GovernorOptions {
  clock: Clock;
  /** From 0 up to, not including, 1. */
  random(): number;
  maxInFlight?: number;
  /** How often one request is sent before its failure is reported. */
  maxAttempts?: number;
}

const firstDelayMs = 1000;
const longestDelayMs = 60_000;
/** A longer pause than this is reported as a failure instead of waited for. */
const longestPauseMs = 15 * 60_000;

interface FailedAttempt {
  failure: ModelFailure;
  usage?: TokenUsage;
}

/**
 * Makes all users of one provider key behave as one good client. It is the only place where a
 * request is retried.
 *
 * - When the provider asks for a pause, nobody sends before it is over, and then a few at a time.
 * - A temporary failure is retried after a growing, random delay; others are reported at once.
 * - Requests in flight are limited, and those that wait are sent in the order in which they came.
 *
 * Each wait is announced by a `waiting` part, each new attempt by a `restart` with the usage of the
 * one before.
 */
export class Governor {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #maxAttempts: number;
  readonly #slots: RequestSlots;
  #pause: { untilMs: number; failure: ModelFailure } | undefined;
  /** The number of pauses since the provider last accepted a request. */
  #pauses = 0;
  /** Whether the provider has answered at all, even with an error. */
  #hasAnswered = false;

  constructor({ clock, random, maxInFlight = 32, maxAttempts = 10 }: GovernorOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#maxAttempts = maxAttempts;
    this.#slots = new RequestSlots(clock, maxInFlight);
  }

  /** The same model, governed by this governor. */
  govern(model: Model): Model {
    return { id: model.id, stream: (request) => this.#stream(model, request) };
  }

  async *#stream(model: Model, request: ModelRequest): AsyncGenerator<ModelPart> {
    try {
      yield* this.#untilDone(model, request);
    } catch (error) {
      if (!request.signal.aborted || error !== request.signal.reason) throw error;
      yield { type: "error", failure: { kind: "aborted", message: "The request was aborted" } };
    }
  }

  async *#untilDone(model: Model, request: ModelRequest): AsyncGenerator<ModelPart> {
    for (let attempt = 1; ; attempt++) {
      const slot = yield* this.#enter(request.signal);
      const failed = slot
        ? yield* this.#send(model, request, { slot, attempt })
        : { failure: this.#longPauseFailure() };
      if (!failed) return;
      const { failure, ...usage } = failed;
      const final = this.#finalFailure(failure, attempt);
      if (final) {
        yield { type: "error", failure: final, ...usage };
        return;
      }
      yield { type: "restart", failure, ...usage };
      if (!concernsAll(failure)) {
        const delayMs = this.#backoffMs(attempt);
        yield { type: "waiting", reason: `another attempt, because: ${failure.message}`, delayMs };
        await wait(this.#clock, delayMs, request.signal);
      }
    }
  }

  /** Waits until one more request may be sent. Undefined if that would take too long. */
  async *#enter(signal: AbortSignal): AsyncGenerator<ModelPart, RequestSlot | undefined> {
    while (!this.#isPausedTooLong()) {
      const delayMs = this.#pauseLeftMs();
      if (delayMs > 0) {
        yield { type: "waiting", reason: this.#pauseReason(), delayMs };
        await wait(this.#clock, delayMs, signal);
        continue;
      }
      if (this.#slots.areTaken) {
        yield { type: "waiting", reason: "other requests go first", delayMs: 0 };
      }
      const slot = await this.#slots.enter(signal);
      // An earlier request may have met a limit meanwhile.
      if (this.#pauseLeftMs() <= 0) return slot;
      slot.leave();
    }
    return undefined;
  }

  /** Returns the failure of the request, if it failed. */
  async *#send(
    model: Model,
    request: ModelRequest,
    { slot, attempt }: { slot: RequestSlot; attempt: number },
  ): AsyncGenerator<ModelPart, FailedAttempt | undefined> {
    try {
      for await (const part of model.stream(request)) {
        if (part.type === "error") {
          const { type: _, ...failed } = part;
          this.#hasAnswered ||= !unanswered.has(failed.failure.kind);
          if (concernsAll(failed.failure)) this.#holdAll(failed.failure, { slot, attempt });
          return failed;
        }
        slot.prove();
        this.#pauses = 0;
        this.#hasAnswered = true;
        yield part;
      }
      return undefined;
    } finally {
      slot.leave();
    }
  }

  #holdAll(failure: ModelFailure, { slot, attempt }: { slot: RequestSlot; attempt: number }): void {
    const isNews = slot.refuse();
    if (isNews) this.#pauses++;
    else if (failure.retryAfterMs === undefined) return;
    const askedMs = failure.retryAfterMs ?? 0;
    // A provider that says "retry at once" and refuses again must not be asked forever.
    // Nor one that begins every reply and then breaks it off, as if each were a new pause.
    const pauses = Math.max(this.#pauses, attempt);
    const delayMs = askedMs < firstDelayMs ? this.#backoffMs(pauses) + askedMs : askedMs;
    const untilMs = this.#clock.monotonicMs() + delayMs;
    if (untilMs > (this.#pause?.untilMs ?? 0)) this.#pause = { untilMs, failure };
  }

  /** The failure to report instead of another attempt; undefined if there is another attempt. */
  #finalFailure(failure: ModelFailure, attempts: number): ModelFailure | undefined {
    if (!isRetryable(failure)) return failure;
    // An address that has never answered is more likely wrong than down.
    if (failure.kind === "unreachable" && !this.#hasAnswered) return failure;
    if (this.#isPausedTooLong()) return this.#longPauseFailure();
    if (attempts < this.#maxAttempts) return undefined;
    if (attempts === 1) return failure;
    return { ...failure, message: `${failure.message} (tried ${attempts} times)` };
  }

  #longPauseFailure(): ModelFailure {
    const minutes = Math.ceil(this.#pauseLeftMs() / 60_000);
    return {
      kind: this.#pause?.failure.kind ?? "rate-limited",
      message: `${this.#pauseReason()} for another ${minutes} minutes`,
      hint: "Continue after that, or use another model or key.",
    };
  }

  #pauseReason(): string {
    return this.#pause?.failure.kind === "overloaded"
      ? "the provider is overloaded and asks for a pause"
      : "the provider limits the rate of requests and asks for a pause";
  }

  #pauseLeftMs(): number {
    return this.#pause ? Math.ceil(this.#pause.untilMs - this.#clock.monotonicMs()) : 0;
  }

  #isPausedTooLong(): boolean {
    return this.#pauseLeftMs() > longestPauseMs;
  }

  /**
   * Random over the whole range, so that requests that failed together are not retried together.
   */
  #backoffMs(attempt: number): number {
    return this.#random() * Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  }
}

/** The failures before an answer. */
const unanswered: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "network",
  "unreachable",
  "untrusted",
  "proxy-refused",
  "no-headers",
  "aborted",
]);

/** True if the provider is overloaded, or asked for a pause: this concerns all requests. */
function concernsAll(failure: ModelFailure): boolean {
  const { kind, retryAfterMs } = failure;
  const isBusy = kind === "rate-limited" || kind === "overloaded";
  return isBusy || (isRetryable(failure) && retryAfterMs !== undefined);
}
