import type { Tool } from "../tool.ts";
import type { Colleagues, Following, Leadership, TaskDesk, Timetable } from "./colleagues.ts";
import { cronTools } from "./crons.ts";
import { broadcastTool, readInboxTool, sendMessageTool } from "./mail.ts";
import { decidePlanTool, submitPlanTool } from "./plan.ts";
import { shutdownAnswerTool, shutdownRequestTool, shutdownStateTool } from "./shutdown.ts";
import { taskTools } from "./tasks.ts";
import { listTeammatesTool, spawnTeammateTool, waitForTeammatesTool } from "./teammates.ts";

/** The tools by which every member works with the others. */
export function coordinationTools(member: { colleagues: Colleagues; tasks: TaskDesk }): Tool[] {
  return [
    sendMessageTool(member),
    readInboxTool(member),
    listTeammatesTool(member),
    ...taskTools(member),
  ];
}

/** The lead's further tools. */
export function leadTools(lead: { leadership: Leadership; timetable: Timetable }): Tool[] {
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
export function teammateTools(teammate: { following: Following }): Tool[] {
  return [submitPlanTool(teammate), shutdownAnswerTool(teammate)];
}
