import type { Clock } from "../../lib/clock.ts";
import { onAbort } from "../../lib/on-abort.ts";
import type { WireFailure } from "./watched-request.ts";

/** Stops a stream that is silent for too long, or whose member is stopped. */
export class StreamWatch {
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  readonly #stopListening: () => void;
  #failure: WireFailure | undefined;
  #hasAnswered = false;

  constructor(signal: AbortSignal, clock: Clock) {
    this.#clock = clock;
    this.#stopListening = onAbort(signal, () => this.#abort.abort());
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get failure(): WireFailure | undefined {
    return this.#failure;
  }

  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Waits for a step of the stream, even of a provider that ignores the signal. */
  async within<Step>(
    ms: number,
    type: "no-headers" | "stalled",
    start: () => PromiseLike<Step>,
  ): Promise<Step> {
    const cancel = this.#clock.schedule(ms, () => this.fail({ type }));
    let stopWaiting = () => {};
    const stopped = new Promise<never>((_, reject) => {
      stopWaiting = onAbort(this.signal, () => reject(new Error("The call was stopped")));
    });
    try {
      const step = await Promise.race([start(), stopped]);
      this.#hasAnswered = true;
      return step;
    } finally {
      cancel();
      stopWaiting();
    }
  }

  fail(failure: WireFailure): void {
    this.#failure ??= failure;
    this.#abort.abort();
  }

  close(): void {
    this.#stopListening();
    this.#abort.abort();
  }
}
