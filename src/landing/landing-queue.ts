import { TeamError } from "../errors.ts";
import { Serial } from "../lib/serial.ts";
import type { LandingId } from "../protocol/ids.ts";
import { isOnItsWay, type Landing } from "../protocol/landing.ts";
import { type LandedStep, LandingStep, type LandingStepOptions } from "./landing-step.ts";

export interface LandingQueueOptions extends LandingStepOptions {
  /** Called with what goes wrong with a landing that stays as it is. */
  onWarning(message: string): void;
  /** Called when the queue has nothing more to do. */
  onRest?(): void;
}

/**
 * Brings the work of members to the target: one landing at a time, oldest first. Each step is on record before its
 * effect and can be repeated, so that a queue over the same records continues where one that was killed has stopped.
 */
export class LandingQueue {
  readonly #options: LandingQueueOptions;
  readonly #step: LandingStep;
  readonly #decisions = new Serial();
  readonly #closing = new AbortController();
  #isWoken = false;
  #running: Promise<void> | undefined;
  #current: { id: LandingId; stop: AbortController } | undefined;

  constructor(options: LandingQueueOptions) {
    this.#options = options;
    this.#step = new LandingStep(options);
  }

  /** False while a landing is on its way. */
  get isAtRest(): boolean {
    return this.#running === undefined;
  }

  /** Continues after a start: repeats what may not have been told, and looks for landings. */
  async resume(): Promise<void> {
    await this.#decisions.run(async () => {
      for (const landing of await this.#options.landings.list()) await this.#step.repeat(landing);
    });
    this.wake();
  }

  /** Looks for landings to process. */
  wake(): void {
    if (this.#closing.signal.aborted) return;
    this.#isWoken = true;
    this.#running ??= this.#run();
  }

  /** Resolves when nothing is left to do. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /**
   * Runs what changes landings from outside between two steps of the queue. The check of the landing `id` is ended
   * before, because it may be about to be decided otherwise.
   */
  async decide<T>(id: LandingId | undefined, change: (step: LandedStep) => Promise<T>): Promise<T> {
    if (id !== undefined && this.#current?.id === id) this.#current.stop.abort();
    return await this.#decisions.run(() => change(this.#step));
  }

  /** Ends a check that runs. The next start continues from the records. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#current?.stop.abort();
    await this.settled();
    await this.#decisions.finished();
  }

  async #run(): Promise<void> {
    // Landings that something unexpected stopped are tried again after the next wake.
    let stuck = new Set<LandingId>();
    try {
      for (;;) {
        if (this.#isWoken) stuck = new Set();
        this.#isWoken = false;
        const next = await this.#next(stuck);
        if (this.#closing.signal.aborted) return;
        if (next) await this.#bringOn(next, stuck);
        else if (!this.#isWoken) return;
      }
    } catch (error) {
      this.#options.onWarning(`The landings could not be read: ${String(error)}`);
    } finally {
      this.#running = undefined;
      this.#options.onRest?.();
    }
  }

  async #next(stuck: ReadonlySet<LandingId>): Promise<Landing | undefined> {
    const listed = await this.#options.landings.list();
    return listed.find((landing) => isOnItsWay(landing) && !stuck.has(landing.id));
  }

  async #bringOn(landing: Landing, stuck: Set<LandingId>): Promise<void> {
    const stop = new AbortController();
    this.#current = { id: landing.id, stop };
    try {
      await this.#step.bringOn(landing, {
        signal: stop.signal,
        alone: (change) => this.#decisions.run(change),
      });
    } catch (error) {
      // Somebody else has decided on it, so it is looked at again.
      if (error instanceof TeamError && error.code === "landing-changed") return;
      if (stop.signal.aborted) return;
      stuck.add(landing.id);
      const why = error instanceof TeamError ? error.message : String(error);
      this.#options.onWarning(`Landing ${landing.id} could not continue: ${why}`);
    } finally {
      this.#current = undefined;
    }
  }
}
