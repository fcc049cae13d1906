import { showHidden } from "../../permissions/show-hidden.ts";
import type { RuleView } from "../../protocol/dashboard.ts";
import type { TeamRule } from "../../team/protocols/team-rules.ts";

/** A rule as the page shows it, in a list; none for a rule of the start, which has another owner. */
export function ruleView({ decision, rule, from, since }: TeamRule): RuleView[] {
  if (from === "start") return [];
  return [{ decision, rule, shown: showHidden(rule), from, since }];
}
