import type { Clock } from "../../lib/clock.ts";

/** Permission to send one request. */
export interface RequestSlot {
  /** The provider has accepted the request. */
  prove(): void;
  /** The provider has refused it. True if no later request was refused before. */
  refuse(): boolean;
  /** The request is over. */
  leave(): void;
}

/** A refusal comes quickly: after this time without one, a request counts as accepted. */
const provenAfterMs = 1000;

/** Until the first refusal, the number grows quickly up to this. */
const quickTrust = 8;
/**
 * Beyond that, and after a refusal, it grows slowly: most limits are met again as soon as they are
 * over. At most this share of any limit is then refused.
 */
const slowGrowth = 1 / 8;

/**
 * Decides which request is sent next: first come, first served, and never more than `maxInFlight`
 * at a time.
 *
 * The number of requests that are sent before the provider has accepted one is limited: one at
 * first and after each refusal, and more with each that is accepted. So when a limit is met, few
 * requests are refused, and when it is over, those that wait do not all run into the next one.
 */
export class RequestSlots {
  readonly #clock: Clock;
  readonly #maxInFlight: number;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #unproven = 0;
  #trust = 1;
  #refusals = 0;

  constructor(clock: Clock, maxInFlight: number) {
    this.#clock = clock;
    this.#maxInFlight = maxInFlight;
  }

  /** True when the next one to enter must wait. */
  get areTaken(): boolean {
    return this.#waiting.length > 0 || !this.#hasRoom();
  }

  /** Rejects with the signal's reason when it is aborted before its turn has come. */
  enter(signal: AbortSignal): Promise<RequestSlot> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const go = () => {
        signal.removeEventListener("abort", abort);
        resolve(this.#open());
      };
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#waiting.push(go);
      this.#admit();
    });
  }

  #hasRoom(): boolean {
    return this.#inFlight < this.#maxInFlight && this.#unproven < Math.floor(this.#trust);
  }

  #admit(): void {
    while (this.#hasRoom()) {
      const next = this.#waiting.shift();
      if (!next) return;
      next();
    }
  }

  #open(): RequestSlot {
    const refusalsBefore = this.#refusals;
    let isUnproven = true;
    const settle = (): boolean => {
      const wasUnproven = isUnproven;
      if (wasUnproven) this.#unproven--;
      isUnproven = false;
      cancel();
      return wasUnproven;
    };
    const prove = () => {
      if (!settle()) return;
      const isQuick = this.#refusals === 0 && this.#trust < quickTrust;
      this.#trust = Math.min(this.#maxInFlight, this.#trust + (isQuick ? 1 : slowGrowth));
      this.#admit();
    };
    const cancel = this.#clock.schedule(provenAfterMs, prove);
    this.#inFlight++;
    this.#unproven++;
    return {
      prove,
      refuse: () => {
        if (this.#refusals > refusalsBefore) return false;
        this.#refusals++;
        this.#trust = 1;
        return true;
      },
      leave: () => {
        settle();
        this.#inFlight--;
        this.#admit();
      },
    };
  }
}
