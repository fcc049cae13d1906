import { totalTokens, type Usage } from "../protocol/usage.ts";

export interface BudgetLimits {
  maxTokens?: number | undefined;
  maxCostUsd?: number | undefined;
}

/** How much a member or a team may spend, and what it has spent. */
export class Budget {
  readonly #name: string;
  readonly #limits: BudgetLimits;
  #tokens = 0;
  #costUsd = 0;

  /** `name` is whose budget it is, as in "The team's". */
  constructor(name: string, limits: BudgetLimits) {
    this.#name = name;
    this.#limits = limits;
  }

  get limitsMoney(): boolean {
    return this.#limits.maxCostUsd !== undefined;
  }

  spend(usage: Usage, costUsd: number): void {
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
