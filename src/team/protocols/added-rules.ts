import { TeamError } from "../../errors.ts";
import { parseRule, requireKnownTool } from "../../permissions/rule.ts";
import { user } from "../../protocol/ids.ts";
import type { MessageDraft } from "../../protocol/message.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { RuleChange } from "../../protocol/team.ts";
import type { RuleDraft, TeamRule } from "./team-rules.ts";

/** A change of a rule, and whether an answer or the person itself made it. */
export type SourcedChange = RuleChange & { from: "answer" | "person" };

/** All changes that a store has, oldest first: by answers, and by the person. */
export function storedChanges(
  approved: readonly TeamRequest[],
  byPerson: readonly RuleChange[],
): SourcedChange[] {
  const answers = approved.flatMap(({ decision }) =>
    decision?.rule === undefined
      ? []
      : [{ ...allowing(decision.rule), at: decision.at, from: "answer" as const }],
  );
  return [...answers, ...byPerson.map((change) => ({ ...change, from: "person" as const }))].sort(
    (a, b) => Date.parse(a.at) - Date.parse(b.at),
  );
}

/** The rules that are in force by these changes, of which the last one of each rule counts. */
export function addedRules(changes: readonly SourcedChange[]): TeamRule[] {
  const last = new Map<string, SourcedChange>();
  for (const change of changes) {
    last.delete(ruleKey(change));
    last.set(ruleKey(change), change);
  }
  return [...last.values()].filter(({ change }) => change === "added").map(asTeamRule);
}

export function allowing(rule: string) {
  return { decision: "allow", rule, change: "added" } as const;
}

/** The same text for the same rule. */
export function ruleKey({ decision, rule }: RuleDraft): string {
  return `${decision} ${rule}`;
}

export function asTeamRule({ decision, rule, from, at }: SourcedChange): TeamRule {
  return { decision, rule, from, since: at };
}

/** The person's order to add a rule. Throws where it is not a rule. */
export function additionMessage({ decision, rule }: RuleDraft): MessageDraft {
  requireKnownTool(parseRule(decision, rule), []);
  return { type: "team_permission_update", from: user, decision, rule };
}

/** The person's order to remove one of the rules that were added. */
export function removalMessage(
  { decision, rule }: RuleDraft,
  added: readonly TeamRule[],
): MessageDraft {
  const isKnown = added.some((each) => ruleKey(each) === ruleKey({ decision, rule }));
  if (!isKnown) throw unknownRule({ decision, rule }, added);
  return { type: "team_permission_update", from: user, decision, rule, removed: true };
}

export function unknownRule(draft: RuleDraft, added: readonly TeamRule[]): TeamError {
  const known = added.map(ruleKey);
  return new TeamError("config-invalid", `The team has no rule "${ruleKey(draft)}"`, {
    hint: known.length > 0 ? `It can remove: ${known.join("; ")}.` : "It has none to remove.",
  });
}
