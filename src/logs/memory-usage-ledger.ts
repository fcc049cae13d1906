import type { MemberName } from "../protocol/ids.ts";
import type { UsageRecord, UsageTotal } from "../protocol/usage.ts";
import type { UsageLedger } from "./usage-ledger.ts";
import { UsageSums } from "./usage-sums.ts";

/** A ledger for tests and passing teams. Keeps every promise but to survive the process. */
export class MemoryUsageLedger implements UsageLedger {
  readonly #sums = new UsageSums();

  async record(usage: UsageRecord): Promise<void> {
    this.#sums.add(usage);
  }

  async totals(): Promise<Map<MemberName, UsageTotal>> {
    return this.#sums.totals();
  }
}
