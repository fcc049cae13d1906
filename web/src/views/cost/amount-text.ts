import { shortCount } from "../../../../src/protocol/amounts.ts";
import type { Measure } from "./spend.ts";

/** Formats an amount for a column of numbers. */
export function amountText(amount: number, measure: Measure): string {
  if (measure === "tokens") return shortCount(Math.round(amount));
  if (amount > 0 && amount < 0.01) return `$${amount.toFixed(4)}`;
  return `$${amount.toFixed(2)}`;
}
