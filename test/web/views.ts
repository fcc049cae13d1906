import type { MemberView, RequestView, RoomState, TaskView } from "../../src/protocol/dashboard.ts";
import { lead } from "../../src/protocol/ids.ts";

/** Records as a server tells them, for tests that care about a few of their fields. */
export function member(fields: Partial<MemberView>): MemberView {
  return {
    name: "alice",
    role: "writes tests",
    is_lead: false,
    status: "idle",
    model: null,
    color: null,
    permission_mode: null,
    follows_lead: false,
    plan_required: false,
    cwd: null,
    doing: null,
    waits_for: null,
    tokens: 0,
    cost_usd: 0,
    unpriced_calls: 0,
    context: null,
    last_activity: null,
    unread: 0,
    ...fields,
  };
}

export function request(fields: Partial<RequestView>): RequestView {
  return {
    id: "r1",
    type: "permission",
    from: "alice",
    to: "user",
    created_at: "2026-01-01T09:00:00Z",
    state: "pending",
    hash: "0",
    is_open: false,
    tool: "bash",
    summary: "npm test",
    shown: "npm test",
    diff: null,
    reason: null,
    rule: null,
    decision: null,
    ...fields,
  };
}

export function task(fields: Partial<TaskView>): TaskView {
  return {
    id: "1",
    subject: "Write it",
    description: "",
    status: "pending",
    owner: null,
    blocked_by: [],
    result: null,
    created_by: lead,
    created_at: "2026-01-01T09:00:00Z",
    updated_at: "2026-01-01T09:00:00Z",
    ...fields,
  };
}

export function state(fields: Partial<RoomState>): RoomState {
  return {
    version: "1",
    directory: "/team",
    team: { id: "t", name: "default" },
    obstacle: null,
    running: { pid: 1, host: "here" },
    members: [],
    tasks: [],
    requests: [],
    rules: [],
    landings: [],
    messages: [],
    problems: [],
    ...fields,
  };
}
