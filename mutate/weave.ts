import type { Mutant } from "./mutants.ts";

/**
 * The source with all `mutants` in it, each asleep until the runner wakes it. So a module is loaded
 * once for all of them.
 */
export function weave(source: string, mutants: readonly Mutant[]): string {
  const outerFirst = [...mutants].sort((a, b) => a.start - b.start || b.end - a.end);
  return woven(source, { start: 0, end: source.length }, outerFirst);
}

interface Span {
  start: number;
  end: number;
}

function woven(source: string, { start, end }: Span, mutants: readonly Mutant[]): string {
  let text = "";
  let position = start;
  let rest = mutants;
  for (let [outer] = rest; outer; [outer] = rest) {
    const span = outer;
    const inside = rest.filter((mutant) => mutant.start < span.end);
    rest = rest.slice(inside.length);
    text += source.slice(position, span.start) + wovenSpan(source, span, inside);
    position = span.end;
  }
  return text + source.slice(position, end);
}

/** If it is active, the mutant's code is used; otherwise mutants inside of it may be active. */
function wovenSpan(source: string, outer: Mutant, inside: readonly Mutant[]): string {
  const others = inside.filter((mutant) => mutant !== outer);
  const original = woven(source, outer, others);
  const isAwake = `globalThis.troupeMutants?.isAwake(${JSON.stringify(outer.id)})`;
  if (outer.text === undefined) return `{ if (!${isAwake}) ${original} }`;
  return `(${isAwake} ? (${outer.text}) : (${original}))`;
}
