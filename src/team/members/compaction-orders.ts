import type { CompactionOrder, CompactionReport, RunOrders } from "../../agent/runner.ts";

/** The compactions that were ordered and that nobody has taken yet: a run, or the member at rest. */
export class CompactionOrders implements RunOrders {
  readonly #waiting: CompactionOrder[] = [];

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves or rejects when somebody has carried it out. */
  add(keep: string | undefined): Promise<CompactionReport> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keep, resolve, reject });
    });
  }

  takeCompaction(): CompactionOrder | undefined {
    return this.#waiting.shift();
  }

  rejectAll(reason: unknown): void {
    for (const order of this.#waiting.splice(0)) order.reject(reason);
  }
}
