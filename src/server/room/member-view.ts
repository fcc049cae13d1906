import type { Activity } from "../../lib/activity.ts";
import { findContextWindow } from "../../model/prices.ts";
import { showHidden } from "../../permissions/show-hidden.ts";
import type { MemberView } from "../../protocol/dashboard.ts";
import { user } from "../../protocol/ids.ts";
import type { Member } from "../../protocol/team.ts";
import { totalTokens } from "../../protocol/usage.ts";
import type { MemberUsage } from "../../team/view/team-view.ts";

/** Everything that is known about a member, from all sources. */
export interface MemberFacts {
  name: string;
  /** Its roster record; undefined for the lead, who has none. */
  member: Member | undefined;
  activity: Activity;
  /** What is known from the end of its transcript. */
  past: MemberPast;
  usage: MemberUsage | undefined;
  /** Who has to answer its request. */
  asked: string | undefined;
  unread: number;
  /** False if no process runs the team: then no member does anything. */
  isTeamRunning: boolean;
}

export interface MemberPast {
  lastActivity: string | null;
  contextTokens: number | null;
  model: string | undefined;
}

export const noPast: MemberPast = { lastActivity: null, contextTokens: null, model: undefined };

export function memberView(facts: MemberFacts): MemberView {
  const { name, member, activity, past, usage, isTeamRunning, unread } = facts;
  const model = member?.model ?? usage?.model ?? past.model ?? null;
  const tokens = activity.contextTokens ?? past.contextTokens;
  return {
    name,
    role: showHidden(member?.role ?? "lead"),
    is_lead: member === undefined,
    status: member?.status ?? (isTeamRunning && activity.isRunning ? "working" : "idle"),
    model,
    color: member?.color ?? null,
    permission_mode: member?.permission_mode ?? null,
    plan_required: member?.plan_required ?? false,
    cwd: member?.cwd ?? null,
    doing: isTeamRunning ? activity.doing : null,
    waits_for: isTeamRunning ? waitsFor(facts) : null,
    tokens: usage ? totalTokens(usage) : 0,
    cost_usd: usage?.cost_usd ?? 0,
    unpriced_calls: usage?.unpriced_calls ?? 0,
    context: tokens === null ? null : { tokens, window: windowOf(model) },
    last_activity: latest(activity.lastActivity, past.lastActivity),
    unread: member?.status === "shutdown" ? 0 : unread,
  };
}

function waitsFor({ asked, activity }: MemberFacts): string | null {
  if (asked === undefined) return activity.waitsFor;
  if (asked === user) return "the person";
  return asked === "lead" ? "the lead" : asked;
}

function windowOf(model: string | null): number | null {
  return (model !== null && findContextWindow(model)) || null;
}

/** To the second: otherwise every streamed word would be a change. */
function latest(a: string | null, b: string | null): string | null {
  const newest = (a ?? "") > (b ?? "") ? a : b;
  return newest === null ? null : `${newest.slice(0, 19)}.000Z`;
}
