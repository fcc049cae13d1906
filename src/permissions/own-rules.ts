import type { OwnRules } from "../protocol/team.ts";
import { knownValue } from "./commands/argument.ts";
import type { Subject } from "./judged-call.ts";
import { parseRule, type Rule, wordsCovered } from "./rule.ts";

/** The rules of one member alone, which count beside those of the team. */
export function ownRules({ ask = [], deny = [] }: OwnRules): Rule[] {
  return [
    ...ask.map((text) => parseRule("ask", text)),
    ...deny.map((text) => parseRule("deny", text)),
  ];
}

/**
 * Why a call is none of those that its member may make; undefined if it is one. A command line is one if
 * all of its commands are, and nothing in it is in doubt.
 */
export function beyondOnly({ only = [] }: OwnRules, subject: Subject): string | undefined {
  if (only.length === 0 || subject.type !== "command") return undefined;
  const rules = only.map((text) => parseRule("allow", text));
  const reason = `its role permits only ${only.join(", ")}`;
  const { line } = subject;
  if (line.doubts.length > 0 || line.commands.length === 0) return reason;
  const covers = (words: readonly string[]) =>
    rules.some((rule) => wordsCovered(rule, words) !== undefined);
  // What it is wrapped in is a command, too: `timeout 9 git log` is none of `git:*`.
  const areCovered = line.commands.every(
    ({ words, layers }) =>
      covers(words.map((word) => knownValue(word) ?? "\0")) && layers.every(covers),
  );
  return areCovered ? undefined : reason;
}
