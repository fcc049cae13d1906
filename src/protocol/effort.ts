import { z } from "zod";

/** How much a model thinks before it answers. `max` is the most that the model can. */
export type Effort = "none" | "low" | "medium" | "high" | "max";
export const Effort = z.enum(["none", "low", "medium", "high", "max"]) satisfies z.ZodType<Effort>;

/** An effort that a person chooses; `default` is none: the model thinks as it does by itself. */
export type EffortChoice = Effort | "default";
export const EffortChoice = z.enum([
  ...Effort.options,
  "default",
]) satisfies z.ZodType<EffortChoice>;

/** True if `effort` lets a model think more than `other` does. */
export function isMoreEffort(effort: Effort, other: Effort): boolean {
  return Effort.options.indexOf(effort) > Effort.options.indexOf(other);
}
