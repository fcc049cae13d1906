import type { Rule } from "./rule.ts";

/** The decision on a call, and the reason. */
export interface Verdict {
  readonly decision: "allow" | "ask" | "deny";
  /** The reason for the decision, for the person who is asked or the model that is refused. */
  readonly reason: string;
  /** True if the call changes nothing: such calls may run in parallel, and under a plan gate. */
  readonly isReadOnly: boolean;
  /**
   * How a command that is allowed is to run in the sandbox; with `trial`, one that is not allowed may be tried so before this
   * decision counts (default: as usual).
   */
  readonly confinement?: "read-only" | "trial";
  /** The rule that "always allow" would add, if one would cover such a call. */
  readonly suggestedRule?: string;
  /** What the call would do, if its tool says so in words. */
  readonly summary?: string;
}

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
