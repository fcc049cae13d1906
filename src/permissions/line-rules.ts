import type { ResolvedCommand, ResolvedLine } from "./commands/resolved-line.ts";
import { coversPlace, isMeantBy, mayCoverWithin, type Rule, strictest } from "./rule.ts";

/** The strictest of the rules that deny or ask about a command of the line. */
export function ruleOn({ commands }: ResolvedLine, rules: readonly Rule[]): Rule | undefined {
  return strictest(rules.filter((each) => concerns(each, commands)));
}

/** Why one of these rules may be about the line, though no command of it shows that. */
export function evadedRule(
  { isWhole, doubts, hiddenProgram, commands }: ResolvedLine,
  rules: readonly Rule[],
  decisions: readonly Rule["decision"][],
): string | undefined {
  const hidden = rules.find(
    (rule) => decisions.includes(rule.decision) && commands.some((each) => mayShow(each, rule)),
  );
  if (hidden) return `it may show files that ${hidden.decision} ${hidden.text} is about`;
  const unread = isWhole ? hiddenProgram : doubts[0];
  const isAboutLines = ({ scope }: Rule) => (isWhole ? scope === "commands" : scope !== "hosts");
  const rule = rules.find((each) => decisions.includes(each.decision) && isAboutLines(each));
  if (unread === undefined || !rule) return undefined;
  return `${unread}, so it may be against ${rule.decision} ${rule.text}`;
}

/** True when it reads files it does not name, and a rule may be about one of them. */
function mayShow({ uses, showsOthers }: ResolvedCommand, rule: Rule): boolean {
  if (showsOthers && rule.scope === "reading") return true;
  // Moving a folder moves its files to where the rule does not apply.
  return uses.some(({ isTree, place }) => isTree && mayCoverWithin(rule, place));
}

/**
 * Broad, for rules that deny or ask: any command in the line, by any name, through any wrapping.
 */
function concerns(rule: Rule, commands: readonly ResolvedCommand[]): boolean {
  if (rule.decision === "allow") return false;
  // A rule for all commands also covers those that were not found.
  if (rule.scope === "commands" && !rule.pattern) return true;
  return commands.some(
    ({ layers, uses, opened }) =>
      layers.some((layer) => concernsWords(rule, layer)) ||
      [...uses, ...opened].some(
        ({ place, use }) =>
          coversPlace(rule, "reading", place) ||
          (use === "write" && coversPlace(rule, "writing", place)),
      ),
  );
}

function concernsWords(rule: Rule, words: readonly string[]): boolean {
  const [program = "", ...rest] = words;
  const spellings = [words, [program.replace(/^.*\//s, ""), ...rest]];
  return spellings.some((spelling) => isMeantBy(rule, spelling));
}
