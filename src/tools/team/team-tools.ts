import type { Tool } from "../tool.ts";
import { cancelCron, listCrons, scheduleCron } from "./crons.ts";
import { broadcast, readInbox, sendMessage } from "./mail.ts";
import { decidePlan, submitPlan } from "./plan.ts";
import { answerShutdown, requestShutdown, showShutdown } from "./shutdown.ts";
import { taskTools } from "./tasks.ts";
import type {
  CronAccess,
  LeadAccess,
  TaskAccess,
  TeamAccess,
  TeammateAccess,
} from "./team-access.ts";
import { listTeammates, spawnTeammate, waitForTeammates } from "./teammates.ts";

const common = [sendMessage, readInbox, listTeammates, ...taskTools];
const leads = [
  ...[spawnTeammate, waitForTeammates, broadcast, decidePlan, requestShutdown, showShutdown],
  ...[scheduleCron, listCrons, cancelCron],
];
const teammates = [submitPlan, answerShutdown];

/** The tools with which every member works with the others. */
export function coordinationTools(member: { colleagues: TeamAccess; tasks: TaskAccess }): Tool[] {
  return common.map((make) => make(member));
}

export function leadTools(lead: { leadership: LeadAccess; timetable: CronAccess }): Tool[] {
  return leads.map((make) => make(lead));
}

/** A teammate's further tools: its side of the protocols. */
export function teammateTools(teammate: { following: TeammateAccess }): Tool[] {
  return teammates.map((make) => make(teammate));
}
