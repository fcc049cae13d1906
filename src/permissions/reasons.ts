import type { Rule } from "./rule.ts";
import type { Verdict } from "./verdict.ts";

export function ruled({ decision, text }: Rule, isReadOnly: boolean): Verdict {
  return { decision, reason: `the rule ${decision} ${text}`, isReadOnly };
}

export function bypassed(isReadOnly: boolean): Verdict {
  return { decision: "allow", reason: "permissions are bypassed", isReadOnly };
}

export function planned(what: string): Verdict {
  const reason = `${what}, and nothing is changed while planning. Present your plan, and do it once the plan is approved.`;
  return { decision: "deny", reason, isReadOnly: false };
}
