import type { CostView } from "../../protocol/dashboard.ts";
import { totalTokens, type UsageLine } from "../../protocol/usage.ts";
import type { PageCursor, TeamView } from "../../team/view/team-view.ts";

/** How many points the chart has at most. */
const maxSpans = 120;
const pageSize = 2_000;

interface Spent {
  cost: number;
  tokens: number;
  unpriced: number;
}

/** The fields of a call that the chart needs. */
interface ChartedCall extends Spent {
  atMs: number;
  member: string;
}

/** The cost over time, as far back as the ledger goes. Only new lines are read. */
export class CostHistory {
  readonly #view: Pick<TeamView, "usageLines">;
  #after: PageCursor | undefined;
  /** The totals that the ledger carries over from before its oldest call. */
  #carried = new Map<string, Spent>();
  #calls: ChartedCall[] = [];

  constructor(view: Pick<TeamView, "usageLines">) {
    this.#view = view;
  }

  /** One call at a time. */
  async refresh(): Promise<void> {
    for (;;) {
      const page = await this.#view.usageLines({ after: this.#after, limit: pageSize });
      this.#after = page.after;
      if (page.isRestarted) {
        this.#calls = [];
        this.#carried = new Map();
      }
      for (const line of page.lines) this.#add(line);
      if (page.lines.length === 0) return;
    }
  }

  view(): CostView {
    const [firstMs, lastMs] = this.#range();
    const count = this.#calls.length === 0 ? 0 : lastMs > firstMs ? maxSpans : 1;
    const spanMs = (lastMs - firstMs) / Math.max(1, count);
    const times = Array.from({ length: count }, (_, index) => firstMs + spanMs * (index + 1));
    const spanOf = (ms: number) =>
      spanMs > 0 ? Math.max(0, Math.min(count - 1, Math.ceil((ms - firstMs) / spanMs) - 1)) : 0;
    const names = new Set([...this.#carried.keys(), ...this.#calls.map(({ member }) => member)]);
    const charts = new Map([...names].map((name) => [name, new Chart(count)]));
    for (const call of this.#calls) charts.get(call.member)?.add(spanOf(call.atMs), call);
    return {
      times: times.map((ms) => new Date(ms).toISOString()),
      members: [...charts].map(([name, chart]) => ({
        name,
        ...chart.addedUp(this.#carried.get(name) ?? nothing),
      })),
    };
  }

  /** The cost of all members' calls since `ms`. */
  costSince(ms: number): number {
    let sum = 0;
    for (const { atMs, cost } of this.#calls) if (atMs >= ms) sum += cost;
    return round(sum);
  }

  #range(): [number, number] {
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { atMs } of this.#calls) {
      first = Math.min(first, atMs);
      last = Math.max(last, atMs);
    }
    return [first, last];
  }

  #add(line: UsageLine): void {
    if (line.type === "call") {
      const { member, cost_usd } = line;
      this.#calls.push({
        atMs: Date.parse(line.at),
        member,
        cost: cost_usd ?? 0,
        tokens: totalTokens(line),
        unpriced: cost_usd === undefined ? 1 : 0,
      });
      return;
    }
    // Later totals repeat what is known by then.
    if (this.#calls.length > 0 || this.#carried.size > 0) return;
    for (const { member, cost_usd, unpriced_calls, ...total } of line.members) {
      const spent = { cost: cost_usd, tokens: totalTokens(total), unpriced: unpriced_calls };
      this.#carried.set(member, spent);
    }
  }
}

const nothing: Spent = { cost: 0, tokens: 0, unpriced: 0 };

/** The cost of one member in each span of time. */
class Chart {
  readonly #cost: number[];
  readonly #tokens: number[];
  #unpriced = 0;

  constructor(spans: number) {
    this.#cost = new Array<number>(spans).fill(0);
    this.#tokens = new Array<number>(spans).fill(0);
  }

  add(span: number, { cost, tokens, unpriced }: Spent): void {
    this.#cost[span] = (this.#cost[span] ?? 0) + cost;
    this.#tokens[span] = (this.#tokens[span] ?? 0) + tokens;
    this.#unpriced += unpriced;
  }

  addedUp({ cost, tokens, unpriced }: Spent) {
    return {
      cost_usd: runningSum(this.#cost, cost).map(round),
      tokens: runningSum(this.#tokens, tokens),
      unpriced_calls: this.#unpriced + unpriced,
    };
  }
}

function runningSum(values: readonly number[], start: number): number[] {
  let sum = start;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

/** Rounds to a millionth of a cent: anything below is a rounding error. */
function round(dollars: number): number {
  return Math.round(dollars * 1e8) / 1e8;
}
