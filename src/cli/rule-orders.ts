import { TeamError } from "../errors.ts";
import type { RuleDraft, TeamRule } from "../team/protocols/team-rules.ts";
import { table } from "./render/columns.ts";
import { localTime } from "./render/local-time.ts";
import { oneLine } from "./render/one-line.ts";

/** What a person can do with permission rules. */
const ruleVerbs = ["allow", "ask", "deny", "remove"] as const;

/** The part of a team, or of the view of one, that has rules. */
interface RuleHolder {
  addRule(draft: RuleDraft): Promise<unknown>;
  removeRule(draft: RuleDraft): Promise<unknown>;
}

interface RuleOrder {
  /** One of `ruleVerbs`, as it was typed. */
  verb: string;
  /** The rule; to remove one, its decision may be in front. */
  text: string;
  /** The rules that the team has. */
  known: readonly TeamRule[];
}

/** Adds or removes a rule, and returns what was done in words. */
export async function changeRule(
  { verb, text, known }: RuleOrder,
  team: RuleHolder,
): Promise<string> {
  const order = ruleVerbs.find((each) => each === verb);
  if (order === undefined || text === "") throw ruleMissing();
  if (order === "remove") {
    const { decision, rule } = findRule(text, known);
    await team.removeRule({ decision, rule });
    return `removed: ${decision} ${whole(rule)}`;
  }
  await team.addRule({ decision: order, rule: text });
  return `added: ${order} ${whole(text)}`;
}

/** Never cut: the person must see all of the rule. */
function whole(rule: string): string {
  return oneLine(rule, Number.POSITIVE_INFINITY);
}

/** The rule that is meant, by itself or with its decision in front. */
function findRule(text: string, known: readonly TeamRule[]): RuleDraft {
  const meant = known.filter(
    ({ decision, rule }) => rule === text || `${decision} ${rule}` === text.replace(/\s+/, " "),
  );
  const [first, ...others] = meant;
  if (first && others.length === 0) return first;
  const removable = known.filter(({ from }) => from !== "start");
  const list = (first ? meant : removable).map(({ decision, rule }) => `${decision} ${rule}`);
  throw new TeamError(
    "config-invalid",
    first ? `There are several rules ${text}` : `The team has no rule ${text}`,
    {
      hint:
        list.length > 0
          ? `Name one of these, with its first word: ${list.join("; ")}.`
          : "No rule was added to it. Those of settings files and flags are removed there.",
    },
  );
}

function ruleMissing(): TeamError {
  return new TeamError("usage-wrong", "Say what to do with which rule", {
    hint: "Such as: permissions allow bash(npm test:*), or permissions remove bash(npm test:*).",
  });
}

/** Each rule, whose it is, and since when it applies. */
export function ruleLines(rules: readonly TeamRule[]): string[] {
  return table(
    rules.map((rule) => [
      rule.decision,
      whole(rule.rule),
      sourceOf(rule),
      `since ${localTime(new Date(rule.since)).slice(0, 16)}`,
    ]),
    () => false,
  );
}

function sourceOf({ from, origin }: TeamRule): string {
  switch (from) {
    case "start":
      return `from ${oneLine(origin ?? "the start of the team")}`;
    case "answer":
      return "you answered always";
    case "person":
      return "you added it";
  }
}
