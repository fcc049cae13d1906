import type { Permissions } from "../permissions/permissions.ts";
import type { Verdict } from "../permissions/verdict.ts";
import type { PlanGate } from "./protocols/plans.ts";

/** What a member may do while its plan gate is closed: look, and work with the others. */
export function gated(
  permissions: Pick<Permissions, "judge">,
  gate: PlanGate,
): Pick<Permissions, "judge"> {
  return {
    async judge(call): Promise<Verdict> {
      const verdict = await permissions.judge(call);
      const reason = gate.closed();
      const { action } = call;
      const isGated = action.type === "command" && action.isGated === true;
      const isHarmless = verdict.isReadOnly && !isGated;
      if (reason === undefined || isHarmless) return verdict;
      return { decision: "deny", reason, isReadOnly: false };
    },
  };
}
