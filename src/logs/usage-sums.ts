import type { MemberName } from "../protocol/ids.ts";
import {
  reportUsage,
  type UsageCarried,
  type UsageRecord,
  type UsageReport,
  type UsageTotal,
} from "../protocol/usage.ts";

/** A total whose money is a whole number, so that adding it up a million times loses nothing. */
type Sum = Omit<UsageTotal, "cost_usd"> & { picodollars: bigint };

/** Adds up what the members' calls used. */
export class UsageSums {
  readonly #sums = new Map<MemberName, Sum>();
  /** The model that each member last called. */
  readonly #models = new Map<MemberName, string>();

  get isEmpty(): boolean {
    return this.#sums.size === 0;
  }

  add({ member, cost_usd, ...usage }: UsageRecord): void {
    const sum = this.#sums.get(member) ?? emptySum;
    this.#models.set(member, usage.model);
    this.#sums.set(member, {
      calls: sum.calls + 1,
      input_tokens: sum.input_tokens + usage.input_tokens,
      output_tokens: sum.output_tokens + usage.output_tokens,
      cache_read_tokens: sum.cache_read_tokens + usage.cache_read_tokens,
      cache_write_tokens: sum.cache_write_tokens + usage.cache_write_tokens,
      picodollars: sum.picodollars + toPicodollars(cost_usd ?? 0),
      unpriced_calls: sum.unpriced_calls + (cost_usd === undefined ? 1 : 0),
    });
  }

  /** Starts from totals that were carried over; they replace everything added before. */
  restart({ members }: UsageCarried): void {
    this.#sums.clear();
    for (const { member, cost_usd, ...total } of members) {
      this.#sums.set(member, { ...total, picodollars: toPicodollars(cost_usd) });
    }
  }

  totals(): Map<MemberName, UsageTotal> {
    return new Map(
      [...this.#sums].map(([member, { picodollars, ...sum }]) => [
        member,
        { ...sum, cost_usd: Number(picodollars) / picodollarsPerDollar },
      ]),
    );
  }

  /** The totals, each with the model that the member last called, where that is known. */
  byMember(): Map<MemberName, UsageReport & { model: string | null }> {
    return new Map(
      [...this.totals()].map(([member, total]) => {
        return [member, { ...reportUsage(total), model: this.#models.get(member) ?? null }];
      }),
    );
  }

  /** The line that carries the totals over into a new file, at the time `at`. */
  carried(at: Date): UsageCarried {
    const members = [...this.totals()].map(([member, total]) => ({ member, ...total }));
    return { type: "carried", at: at.toISOString(), members };
  }
}

const emptySum: Sum = {
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  picodollars: 0n,
  unpriced_calls: 0,
};

/** A token of the cheapest models costs some ten thousand picodollars. */
const picodollarsPerDollar = 1e12;

function toPicodollars(dollars: number): bigint {
  return BigInt(Math.round(dollars * picodollarsPerDollar));
}
