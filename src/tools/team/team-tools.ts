import type { Tool } from "../tool.ts";
import { cronTools } from "./crons.ts";
import { broadcastTool, readInboxTool, sendMessageTool } from "./mail.ts";
import { decidePlanTool, submitPlanTool } from "./plan.ts";
import { shutdownAnswerTool, shutdownRequestTool, shutdownStateTool } from "./shutdown.ts";
import { taskTools } from "./tasks.ts";
import type {
  CronAccess,
  LeadAccess,
  TaskAccess,
  TeamAccess,
  TeammateAccess,
} from "./team-access.ts";
import { listTeammatesTool, spawnTeammateTool, waitForTeammatesTool } from "./teammates.ts";

/** The tools with which every member works with the others. */
export function coordinationTools(member: { colleagues: TeamAccess; tasks: TaskAccess }): Tool[] {
  return [
    sendMessageTool(member),
    readInboxTool(member),
    listTeammatesTool(member),
    ...taskTools(member),
  ];
}

/** The lead's further tools. */
export function leadTools(lead: { leadership: LeadAccess; timetable: CronAccess }): Tool[] {
  return [
    spawnTeammateTool(lead),
    waitForTeammatesTool(lead),
    broadcastTool(lead),
    decidePlanTool(lead),
    shutdownRequestTool(lead),
    shutdownStateTool(lead),
    ...cronTools(lead),
  ];
}

/** A teammate's further tools: its side of the protocols. */
export function teammateTools(teammate: { following: TeammateAccess }): Tool[] {
  return [submitPlanTool(teammate), shutdownAnswerTool(teammate)];
}
