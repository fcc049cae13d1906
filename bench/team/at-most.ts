import type { Section } from "../lib/report.ts";

export interface Limit {
  figure: number;
  target: number;
  format(value: number): string;
}

/** A target that is met by every figure up to it. */
export function atMost(
  what: string,
  { figure, target, format }: Limit,
): Section["targets"][number] {
  return {
    what,
    figure: format(figure),
    target: `≤ ${format(target)}`,
    isMet: figure <= target,
  };
}
