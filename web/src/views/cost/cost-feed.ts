import type { CostView } from "../../../../src/protocol/dashboard.ts";
import type { Source } from "../../source/source.ts";
import { Store } from "../../state/store.ts";

/** Calls `task` after a delay, unless the returned function is called first. */
export type Scheduler = (task: () => void, afterMs: number) => () => void;

/** The delay between an answer and the next request. */
export const pauseMs = 5_000;

export interface Cost {
  /** Null until the first answer has arrived. */
  view: CostView | null;
  problem: string | null;
}

/** The cost, fetched again when it changes, but at most every `pauseMs`. */
export class CostFeed {
  readonly state = new Store<Cost>({ view: null, problem: null });
  readonly #source: Source;
  readonly #later: Scheduler;
  /** The current request, or the delay after it. */
  #isBusy = false;
  #isStale = false;
  #isClosed = false;
  #stopPause = () => {};
  #work: Promise<void> = Promise.resolve();

  constructor(source: Source, later: Scheduler) {
    this.#source = source;
    this.#later = later;
  }

  /** The cost has changed since the last request. */
  refresh(): void {
    if (this.#isBusy || this.#isClosed) {
      this.#isStale = true;
      return;
    }
    this.#isBusy = true;
    this.#work = this.#source
      .cost()
      .then(
        (view) => this.#set({ view, problem: null }),
        (error: unknown) => this.#set({ ...this.state.value, problem: textOf(error) }),
      )
      .then(() => {
        if (!this.#isClosed) this.#stopPause = this.#later(() => this.#goOn(), pauseMs);
      });
  }

  /** Resolves when the current request has been answered. */
  settled(): Promise<void> {
    return this.#work;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopPause();
  }

  #goOn(): void {
    this.#isBusy = false;
    if (!this.#isStale) return;
    this.#isStale = false;
    this.refresh();
  }

  #set(cost: Cost): void {
    if (!this.#isClosed) this.state.set(cost);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
