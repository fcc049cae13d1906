import { type CronEntry, CronId } from "../../../src/protocol/cron.ts";
import {
  lead,
  MemberName,
  MessageId,
  newRequestId,
  TaskId,
  TeamId,
} from "../../../src/protocol/ids.ts";
import type { TeamRequest } from "../../../src/protocol/request.ts";
import type { Task } from "../../../src/protocol/task.ts";
import type { TeamRecord } from "../../../src/protocol/team.ts";
import type { ReceivedMail } from "../../../src/protocol/transcript.ts";
import { callTool } from "../../../src/testing/call-tool.ts";
import type {
  CronAccess,
  LeadAccess,
  TaskAccess,
  TeamAccess,
  TeammateAccess,
} from "../../../src/tools/team/team-access.ts";
import { coordinationTools, leadTools, teammateTools } from "../../../src/tools/team/team-tools.ts";
import type { Tool, ToolOutput } from "../../../src/tools/tool.ts";

export const alice = MemberName.parse("alice");
export const bob = MemberName.parse("bob");
export const requestId = newRequestId(new Date(0));

/** What the tools reach in a test: whatever is not given is a team where nothing is the matter. */
export interface Parts {
  colleagues: Partial<TeamAccess>;
  tasks: Partial<TaskAccess>;
  leadership: Partial<LeadAccess>;
  following: Partial<TeammateAccess>;
  timetable: Partial<CronAccess>;
  hasResults: boolean;
}

export function leadsTools(parts: Partial<Parts> = {}): Tool[] {
  const leadership = { ...quietLeadership, ...parts.leadership };
  const timetable = { ...quietTimetable, ...parts.timetable };
  return [...commonTools(parts), ...leadTools({ leadership, timetable }, parts.hasResults)];
}

export function teammatesTools(parts: Partial<Parts> = {}): Tool[] {
  const following = { ...quietFollowing, ...parts.following };
  return [...commonTools(parts), ...teammateTools({ following })];
}

function commonTools(parts: Partial<Parts>): Tool[] {
  const colleagues = { ...quietColleagues, ...parts.colleagues };
  const tasks = { ...quietTasks, ...parts.tasks };
  return coordinationTools({ colleagues, tasks });
}

/** Calls one of the tools as the agent loop does. */
export async function call(
  tools: readonly Tool[],
  name: string,
  input: unknown = {},
  signal = new AbortController().signal,
): Promise<ToolOutput> {
  const tool = tools.find(({ spec }) => spec.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  return callTool(tool, input, { signal });
}

export async function textOf(...given: Parameters<typeof call>): Promise<string> {
  return (await call(...given)).text;
}

export function task(fields: Partial<Omit<Task, "id">> & { id?: string } = {}): Task {
  const time = new Date(0).toISOString();
  return {
    subject: "Fix the parser",
    description: "",
    status: "pending",
    owner: null,
    blocked_by: [],
    result: null,
    created_by: lead,
    created_at: time,
    updated_at: time,
    version: 1,
    lease: null,
    releases: 0,
    ...fields,
    id: TaskId.parse(fields.id ?? "3"),
  };
}

export function taskIds(...ids: string[]): TaskId[] {
  return ids.map((id) => TaskId.parse(id));
}

export function request(fields: Partial<Omit<TeamRequest, "type" | "subject">> = {}): TeamRequest {
  return {
    id: requestId,
    type: "shutdown",
    from: lead,
    to: alice,
    subject: {},
    hash: "0".repeat(64),
    created_at: new Date(0).toISOString(),
    sig: "signature of the question",
    state: "pending",
    decision: null,
    version: 1,
    ...fields,
  };
}

export function roster(...members: TeamRecord["members"]): TeamRecord {
  const team_id = TeamId.parse("019b78c9-1250-7303-bf19-66b570c8693f");
  return { team_name: "default", team_id, lead, members, format: 1 };
}

export function cron(fields: Partial<Omit<CronEntry, "id">> & { id?: string } = {}): CronEntry {
  return {
    cron: "0 9 * * 1-5",
    prompt: "Look at the build",
    member: lead,
    once: false,
    created_by: lead,
    created_at: new Date(0).toISOString(),
    next_at: "2026-11-16T09:00:00.000Z",
    ...fields,
    id: CronId.parse(fields.id ?? "0000000a"),
  };
}

export function mailOf(content: string): ReceivedMail {
  const id = MessageId.parse("019b78c9-1250-7303-bf19-66b570c8693f");
  return {
    message: { id, type: "message", from: bob, to: alice, content, timestamp: 1_763_197_200 },
    position: { generation: 0, offset: 100 },
  };
}

const quietColleagues: TeamAccess = {
  roster: async () => roster(),
  send: async () => ({ to: alice }),
  takeMail: async () => [],
};

const quietTasks: TaskAccess = {
  create: async () => task(),
  list: async () => [],
  get: async () => task(),
  claim: async () => task(),
  complete: async () => ({ task: task(), unblocked: [] }),
  update: async () => ({ task: task(), unblocked: [] }),
};

const quietLeadership: LeadAccess = {
  hasRoles: false,
  broadcast: async () => 0,
  spawn: async () => ({ name: alice, role: "coder" }),
  waitForTeammates: async () => "All have finished.",
  requestShutdown: async () => request(),
  findShutdown: async () => undefined,
  decidePlan: async () => bob,
  submitResult: async () => {},
};

const quietFollowing: TeammateAccess = {
  answerShutdown: async () => {},
  submitPlan: async () => request({ from: bob, to: lead }),
};

const quietTimetable: CronAccess = {
  schedule: async () => cron(),
  list: async () => [],
  cancel: async () => cron(),
};
