import { z } from "zod";

/** How much a model thinks before it answers. `max` is the most that the model can. */
export type Effort = "none" | "low" | "medium" | "high" | "max";
export const Effort = z.enum(["none", "low", "medium", "high", "max"]) satisfies z.ZodType<Effort>;

/** True if `effort` lets a model think more than `other` does. */
export function isMoreEffort(effort: Effort, other: Effort): boolean {
  return Effort.options.indexOf(effort) > Effort.options.indexOf(other);
}
