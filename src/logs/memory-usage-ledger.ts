import type { MemberName } from "../protocol/ids.ts";
import type { UsageLine, UsageRecord, UsageTotal } from "../protocol/usage.ts";
import type { UsageLedger } from "./usage-ledger.ts";
import { UsageSums } from "./usage-sums.ts";

const keptCalls = 10_000;

/** A ledger for tests and temporary teams. Keeps every promise except to survive the process. */
export class MemoryUsageLedger implements UsageLedger {
  readonly #sums = new UsageSums();
  readonly #onChange: () => void;
  readonly #calls: UsageRecord[] = [];
  /** The totals of the calls that are no longer kept. */
  readonly #dropped = new UsageSums();
  #droppedCalls = 0;

  constructor({ onChange = () => {} }: { onChange?: () => void } = {}) {
    this.#onChange = onChange;
  }

  async record(usage: UsageRecord): Promise<void> {
    this.#sums.add(usage);
    this.#calls.push(usage);
    if (this.#calls.length > keptCalls) this.#dropOldest();
    this.#onChange();
  }

  async totals(): Promise<Map<MemberName, UsageTotal>> {
    return this.#sums.totals();
  }

  byMember(): ReturnType<UsageSums["byMember"]> {
    return this.#sums.byMember();
  }

  /**
   * The calls from number `from` on, counted from 0, preceded by the totals of the dropped ones.
   */
  lines(from: number, limit: number): { lines: UsageLine[]; next: number } {
    const first = Math.max(from, this.#droppedCalls);
    const calls = this.#calls.slice(first - this.#droppedCalls).slice(0, limit);
    const [oldest] = calls;
    const isMissing = first > from && oldest !== undefined;
    const carried = isMissing ? [this.#dropped.carried(new Date(oldest.at))] : [];
    return { lines: [...carried, ...calls], next: first + calls.length };
  }

  #dropOldest(): void {
    const oldest = this.#calls.shift();
    if (!oldest) return;
    this.#dropped.add(oldest);
    this.#droppedCalls += 1;
  }
}
