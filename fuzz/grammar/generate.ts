import { readFileSync } from "node:fs";
import type { Random } from "../../soak/random.ts";
import { expand, type Grammar, parseGrammar } from "./expand.ts";
import { mutate } from "./mutate.ts";

const files = ["payloads", "words", "patterns", "programs", "git", "attacks", "lines"];

/** The features of bash, weighted towards those that can go wrong. */
export const grammar: Grammar = Object.assign(
  {},
  ...files.map((name) =>
    parseGrammar(readFileSync(new URL(`${name}.grammar`, import.meta.url), "utf8")),
  ),
);

/** Lines from the grammar, mixed with mutated hand-written lines. */
export function* generate(
  count: number,
  random: Random,
  written: readonly string[],
): Generator<string> {
  for (let made = 0; made < count; made++) {
    yield random.below(4) === 0
      ? mutate(written, grammar, random)
      : expand(grammar, "line", random);
  }
}
