import { expect, test } from "vitest";
import { Bill, Budget } from "../../src/agent/bill.ts";
import type { ModelPrice } from "../../src/model/prices.ts";
import { lead } from "../../src/protocol/ids.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

const usage = { input_tokens: 60, output_tokens: 40, cache_read_tokens: 0, cache_write_tokens: 0 };
const price = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1.25 };

/** A bill, and the lines that it has written into the ledger. */
function billOf(budgets: Budget[], known: ModelPrice | undefined, reportsCost = false) {
  const lines: object[] = [];
  const record = async (line: object) => {
    lines.push(line);
  };
  const clock = new ManualClock();
  const prices = new Map([["x/y", { price: known, reportsCost }]]);
  const options = { member: lead, prices, ledger: { record }, budgets, clock };
  return { bill: new Bill(options), lines };
}

test("a budget of tokens is used up with its last token", () => {
  const budget = new Budget("The team's", { maxTokens: 200 });
  budget.spend(usage, 1);
  expect(budget.exhausted).toBeUndefined();

  budget.spend({ ...usage, output_tokens: 39 }, 1);
  expect(budget.exhausted).toBeUndefined();
  budget.spend({ ...usage, input_tokens: 1, output_tokens: 0 }, 1);

  expect(budget.exhausted).toBe("The team's budget of 200 tokens is used up (200)");
});

test("a budget of money is used up with its last cent, regardless of tokens", () => {
  const budget = new Budget("Its", { maxCostUsd: 0.5 });
  expect(budget.exhausted).toBeUndefined();
  budget.spend(usage, 0.25);
  expect(budget.exhausted).toBeUndefined();

  budget.spend(usage, 0.25);

  expect(budget.exhausted).toBe("Its budget of $0.5 is used up ($0.5000)");
});

test("a call is in the ledger with its cost, and counted in every budget", async () => {
  const budgets = [
    new Budget("Its", { maxTokens: 1000 }),
    new Budget("The team's", { maxTokens: 100 }),
  ];
  const { bill, lines } = billOf(budgets, price);
  expect(bill.exhausted).toBeUndefined();

  await bill.record(usage, "x/y");

  expect(lines).toEqual([
    {
      type: "call",
      at: "2026-01-01T00:00:00.000Z",
      member: lead,
      model: "x/y",
      ...usage,
      cost_usd: (60 + 400) / 1e6,
    },
  ]);
  expect(bill.exhausted).toContain("The team's budget of 100 tokens");
});

test("a call of a model without a known price has no cost, and its money cannot be limited", async () => {
  const { bill, lines } = billOf([new Budget("Its", { maxTokens: 1000 })], undefined);

  await bill.record(usage, "x/y");

  expect(Object.keys(lines[0] ?? {})).toContain("output_tokens");
  expect(Object.keys(lines[0] ?? {})).not.toContain("cost_usd");
  expect(() => billOf([new Budget("Its", { maxCostUsd: 1 })], undefined)).toThrow(
    expect.objectContaining({ code: "config-invalid" }),
  );
});

test.each([price, undefined])(
  "the cost that the provider reports counts, also where the price is %o",
  async (known) => {
    const budget = new Budget("Its", { maxCostUsd: 0.5 });
    const { bill, lines } = billOf([budget], known, true);

    await bill.record({ ...usage, cost_usd: 0.5 }, "x/y");

    expect(lines).toMatchObject([{ cost_usd: 0.5 }]);
    expect(bill.exhausted).toBe("Its budget of $0.5 is used up ($0.5000)");
  },
);
