import { TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { UsageLedger } from "../logs/usage-ledger.ts";
import { suitableModels } from "../model/default-model.ts";
import { costOf, type ModelPrice } from "../model/prices.ts";
import type { MemberName } from "../protocol/ids.ts";
import { type TokenUsage, totalTokens } from "../protocol/usage.ts";

/** What may be spent: once a limit is reached, no further model call begins. */
export interface BudgetLimits {
  /** The most tokens, of input and output together, cached ones included (default: no limit). */
  maxTokens?: number | undefined;
  /** The most money, in US dollars (default: no limit). */
  maxCostUsd?: number | undefined;
}

/** How much a member or a team may spend, and what it has spent. */
export class Budget {
  readonly #name: string;
  #limits: BudgetLimits;
  #tokens = 0;
  #costUsd = 0;

  /** `name` is whose budget it is, as in "The team's". */
  constructor(name: string, limits: BudgetLimits) {
    this.#name = name;
    this.#limits = limits;
  }

  /** Changes the limits. What was spent stays. */
  limit(limits: BudgetLimits): void {
    this.#limits = limits;
  }

  get limitsMoney(): boolean {
    return this.#limits.maxCostUsd !== undefined;
  }

  spend(usage: TokenUsage, costUsd: number): void {
    this.#tokens += totalTokens(usage);
    this.#costUsd += costUsd;
  }

  /** Says so once nothing is left. */
  get exhausted(): string | undefined {
    const { maxTokens = Number.POSITIVE_INFINITY, maxCostUsd = Number.POSITIVE_INFINITY } =
      this.#limits;
    if (this.#costUsd >= maxCostUsd) {
      return `${this.#name} budget of $${maxCostUsd} is used up ($${this.#costUsd.toFixed(4)})`;
    }
    if (this.#tokens >= maxTokens) {
      return `${this.#name} budget of ${maxTokens} tokens is used up (${this.#tokens})`;
    }
    return undefined;
  }
}

export interface ModelPricing {
  /** Undefined where it is not known. */
  price: ModelPrice | undefined;
  /** Whether the provider reports the cost of each call, which counts instead of the price (default: false). */
  reportsCost?: boolean;
}

export interface BillOptions {
  member: MemberName;
  /** What each model costs that may answer, by its id. */
  prices: ReadonlyMap<string, ModelPricing>;
  ledger: Pick<UsageLedger, "record">;
  /** All that the member's calls count against: its own budget, its team's. */
  budgets: readonly Budget[];
  clock: Clock;
}

/** Records the cost of one member's model calls: first in the ledger, then in its budgets. */
export class Bill {
  readonly #options: BillOptions;

  /** Throws `config-invalid` where money is limited and nobody knows what the model costs. */
  constructor(options: BillOptions) {
    const { budgets, prices } = options;
    const [unpriced] = [...prices].find(([, it]) => !it.price && !it.reportsCost) ?? [];
    if (unpriced !== undefined && budgets.some(({ limitsMoney }) => limitsMoney)) {
      throw new TeamError(
        "config-invalid",
        `The cost is limited, but ${unpriced} has no known price`,
        {
          hint: `Limit the turns instead, set its price under "models", or choose a model with a price, such as ${suitableModels.anthropic}.`,
        },
      );
    }
    this.#options = options;
  }

  /** `model` is the id of the one that answered. Resolves to the usage with the cost, if that is known. */
  async record(usage: TokenUsage, model: string): Promise<TokenUsage> {
    const { member, prices, ledger, budgets, clock } = this.#options;
    const { price } = prices.get(model) ?? {};
    const cost = usage.cost_usd ?? (price && costOf(usage, price));
    const priced = { ...usage, ...(cost !== undefined && { cost_usd: cost }) };
    await ledger.record({ type: "call", at: clock.now().toISOString(), member, model, ...priced });
    for (const budget of budgets) budget.spend(usage, cost ?? 0);
    return priced;
  }

  /** Which budget is used up, in words; undefined while there is something left of all. */
  get exhausted(): string | undefined {
    return this.#options.budgets.map(({ exhausted }) => exhausted).find((text) => text);
  }
}
