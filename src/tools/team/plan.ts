import { z } from "zod";
import { coordinationTool } from "./coordination-tool.ts";
import { FilledText } from "./inputs.ts";
import type { LeadAccess, TeammateAccess } from "./team-access.ts";

export const decidePlan = coordinationTool({
  name: "plan_approval",
  description: "Decide on a plan that came as mail.",
  input: z.object({
    request_id: FilledText,
    approve: z.boolean(),
    feedback: z.string().optional(),
  }),
  async answer({ request_id: id, ...answer }, { leadership }: { leadership: LeadAccess }) {
    const teammate = await leadership.decidePlan(id, answer);
    return `Plan ${answer.approve ? "approved" : "rejected"} for '${teammate}'`;
  },
});

export const submitPlan = coordinationTool({
  name: "plan_approval",
  description: "Hand in a plan and end your turn. You can only read until approval comes as mail.",
  input: z.object({ plan: FilledText }),
  async answer({ plan }, { following }: { following: TeammateAccess }) {
    const { id } = await following.submitPlan(plan);
    return `Plan submitted (request_id=${id}). Waiting for lead approval.`;
  },
});
