import type { Tool } from "../tool.ts";
import { cancelCron, listCrons, scheduleCron } from "./crons.ts";
import { broadcast, readInbox, sendMessage } from "./mail.ts";
import { decidePlan, submitPlan } from "./plan.ts";
import { submitResult } from "./result.ts";
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

const common = {
  send_message: sendMessage,
  read_inbox: readInbox,
  list_teammates: listTeammates,
  ...taskTools,
};
const leads = {
  spawn_teammate: spawnTeammate,
  wait_for_teammates: waitForTeammates,
  broadcast,
  plan_approval: decidePlan,
  shutdown_request: requestShutdown,
  shutdown_response: showShutdown,
  schedule_cron: scheduleCron,
  list_crons: listCrons,
  cancel_cron: cancelCron,
};
const teammates = { plan_approval: submitPlan, shutdown_response: answerShutdown };

const results = { submit_result: submitResult };

export const teamToolNames = [...new Set([common, leads, teammates, results].flatMap(Object.keys))];

/** The tools with which every member works with the others. */
export function coordinationTools(member: { colleagues: TeamAccess; tasks: TaskAccess }): Tool[] {
  return Object.values(common).map((make) => make(member));
}

/** With `hasResults`, the tool too that hands in results to the program. */
export function leadTools(
  lead: { leadership: LeadAccess; timetable: CronAccess },
  hasResults = false,
): Tool[] {
  const all = Object.values(leads).map((make) => make(lead));
  return hasResults ? [...all, submitResult(lead)] : all;
}

/** A teammate's further tools: its side of the protocols. */
export function teammateTools(teammate: { following: TeammateAccess }): Tool[] {
  return Object.values(teammates).map((make) => make(teammate));
}
