import { z } from "zod";
import type { Tool } from "../tool.ts";
import { coordinationTool } from "./coordination-tool.ts";
import { FilledText } from "./inputs.ts";
import type { LeadAccess, TeammateAccess } from "./team-access.ts";

const PlanApprovalInput = z.object({
  request_id: FilledText,
  approve: z.boolean(),
  feedback: z.string().optional(),
});

export function decidePlanTool({ leadership }: { leadership: LeadAccess }): Tool {
  return coordinationTool({
    name: "plan_approval",
    description: "Decide on a plan that came as mail.",
    input: PlanApprovalInput,
    async answer({ request_id: id, approve, feedback }) {
      const teammate = await leadership.decidePlan(id, { approve, feedback });
      return `Plan ${approve ? "approved" : "rejected"} for '${teammate}'`;
    },
  });
}

const OwnPlanApprovalInput = z.object({ plan: FilledText });

export function submitPlanTool({ following }: { following: TeammateAccess }): Tool {
  return coordinationTool({
    name: "plan_approval",
    description:
      "Hand in a plan and end your turn. You can only read until approval comes as mail.",
    input: OwnPlanApprovalInput,
    async answer({ plan }) {
      const { id } = await following.submitPlan(plan);
      return `Plan submitted (request_id=${id}). Waiting for lead approval.`;
    },
  });
}
