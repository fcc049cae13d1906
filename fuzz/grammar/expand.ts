import type { Random } from "../../soak/random.ts";

/** Each name is replaced by one of several texts, in which `‹name›` refers to another name. */
export type Grammar = Readonly<Record<string, readonly string[]>>;

const reference = /‹(\w+)›/g;
/** Deeper than this, a text without further names is chosen if there is one. */
const deepest = 9;

export function expand(grammar: Grammar, name: string, random: Random, depth = 0): string {
  const choices = grammar[name];
  if (!choices) throw new Error(`The grammar has no ${name}`);
  const ends = depth > deepest ? choices.filter((choice) => !choice.includes("‹")) : [];
  const text = random.pick(ends.length > 0 ? ends : choices);
  return text.replace(reference, (_, inner: string) => expand(grammar, inner, random, depth + 1));
}

/**
 * Reads `name: choice ¦ choice`, which may go on in lines that begin with a blank. `⏎`, `⇥` and `␍`
 * stand for a line's end, a tab and a carriage return; `␣` for a blank at an end; `#` begins a comment.
 */
export function parseGrammar(text: string): Grammar {
  const rules = text
    .replace(/^#.*\n/gm, "")
    .split(/\n(?=\w)/)
    .map((rule) => /^(\w+):([\s\S]*)$/.exec(rule.trim()));
  return Object.fromEntries(
    rules.flatMap((rule) => (rule ? [[rule[1] ?? "", choicesIn(rule[2] ?? "")]] : [])),
  );
}

function choicesIn(text: string): string[] {
  const signs: Readonly<Record<string, string>> = { "⏎": "\n", "⇥": "\t", "␍": "\r", "␣": " " };
  return text
    .split("¦")
    .map((choice) =>
      choice.replace(/^[ \n]+|[ \n]+$/g, "").replace(/[⏎⇥␍␣]/g, (sign) => signs[sign] ?? sign),
    );
}
