import type { RunEnd } from "../agent/runner.ts";
import { answeringModel } from "../model/model-list.ts";
import { lead, type MemberName, type MessageId } from "../protocol/ids.ts";
import { isUnlanded, type Landing } from "../protocol/landing.ts";
import type { RunOutcome } from "../protocol/message.ts";
import { wakes, wakesWhenQuiet } from "../protocol/message-types.ts";
import type { TeamRequest } from "../protocol/request.ts";
import type { Task } from "../protocol/task.ts";
import type { MemberStatus } from "../protocol/team.ts";
import { reportUsage, type UsageReport, type UsageTotal } from "../protocol/usage.ts";
import type { LeadSettings } from "./members/member-definition.ts";
import type { Supervisor } from "./supervisor.ts";
import type { SupervisorOptions } from "./supervisor-options.ts";
import type { TeamStore } from "./team-store.ts";

/** How a team stands when it is quiet, for people and programs. */
export interface TeamSummary {
  /** The lead's last text. */
  result: string;
  /** The lead, and after it all teammates on the roster. */
  members: readonly MemberSummary[];
  /** All tasks of the team, oldest first. */
  tasks: readonly Task[];
  /** The work of members with checkouts that is on its way to its target, or cannot get there, or has in this process. */
  landings: readonly Landing[];
  /** Calls that needed approval in this process and did not get it. What a rule or a hook denies is not asked. */
  denied: readonly Pick<TeamRequest, "id" | "from" | "subject">[];
  /** Questions that nobody has decided. */
  undecided: readonly TeamRequest[];
  /** Commands that still run in the background, by owner. */
  background: readonly { member: MemberName; commands: number }[];
  /** The tokens of all model calls of the team, earlier processes included. */
  usage: Omit<UsageTotal, "cost_usd" | "unpriced_calls" | "calls">;
  /** Of the calls with a known price. Null, and not 0, where only `unpriced_calls` had a cost. */
  cost_usd: number | null;
  /** Calls of models without a known price. */
  unpriced_calls: number;
  /** How long this process has had the team open, in milliseconds. */
  duration_ms: number;
  /** How the lead's work in this process ended; undefined where it had none. */
  end: RunEnd | undefined;
  /** Mail that came back, because its recipient had ended. */
  undelivered: readonly MessageId[];
}

/** How a member stands when the team is quiet. */
export interface MemberSummary {
  /** The member's name; `lead` for the lead. */
  name: MemberName;
  /** What the member does in the team, in the words of its spawn; `lead` for the lead. */
  role: string;
  /** What the member is doing at the time of the summary. */
  status: MemberStatus;
  /** As it was asked for: one, or a list. */
  model: string;
  /** The model that answers it, or answered last. */
  answered_by: string;
  /** Of its last run; undefined where it had none. */
  outcome: RunOutcome | undefined;
  /** What its model calls used and cost, earlier processes included; undefined where it has made none. */
  usage: UsageReport | undefined;
  /** As in `usage`; 0 where it has made no call. */
  cost_usd: number | null;
}

/** What a summary is about. */
type SummarizedTeam = Pick<Supervisor, "members" | "protocols"> & {
  options: Pick<SupervisorOptions, "store" | "clock">;
  models: { lead: Pick<LeadSettings, "model"> };
};

export async function summarize(
  supervisor: SummarizedTeam,
  since: { date: Date; ms: number },
): Promise<TeamSummary> {
  const { store, clock } = supervisor.options;
  const totals = await store.usage.totals();
  const requests = await store.requests.list();
  const members = await membersOf(supervisor, totals);
  const sum = (count: (total: UsageTotal) => number) =>
    [...totals.values()].reduce((all, total) => all + count(total), 0);
  return {
    result: supervisor.members.lead.state.lastAnswer ?? "",
    members,
    tasks: await store.tasks.list(),
    landings: await landingsSince(store, since.date),
    denied: requests
      .filter(({ type, state }) => type === "permission" && ["rejected", "expired"].includes(state))
      .filter(({ created_at }) => created_at >= since.date.toISOString())
      .map(({ id, from, subject }) => ({ id, from, subject })),
    undecided: requests.filter(({ state }) => state === "pending"),
    background: supervisor.members.living
      .map(({ name, state }) => ({ member: name, commands: state.backgroundJobs.length }))
      .filter(({ commands }) => commands > 0),
    usage: {
      input_tokens: sum((total) => total.input_tokens),
      output_tokens: sum((total) => total.output_tokens),
      cache_read_tokens: sum((total) => total.cache_read_tokens),
      cache_write_tokens: sum((total) => total.cache_write_tokens),
    },
    ...reportUsage({
      cost_usd: sum((total) => total.cost_usd),
      unpriced_calls: sum((total) => total.unpriced_calls),
    }),
    duration_ms: Math.round(clock.monotonicMs() - since.ms),
    end: await endOf(supervisor),
    undelivered: supervisor.protocols.removals.returned,
  };
}

async function landingsSince({ landings }: TeamStore, since: Date): Promise<Landing[]> {
  return (await landings.list()).filter(
    ({ state, updated_at }) =>
      isUnlanded({ state }) || (state !== "replaced" && updated_at >= since.toISOString()),
  );
}

/**
 * A lead whose budget is used up does not read what it would have to answer: that is its end. One whose
 * run an earlier process left open waits to be prompted.
 */
async function endOf({ members, options }: SummarizedTeam): Promise<RunEnd | undefined> {
  const { lastEnd, exhausted, isCutShort, isBusy } = members.lead.state;
  if (isCutShort && !isBusy && !lastEnd && !exhausted) {
    const reason = "the lead's run was cut short when the team was closed";
    return { outcome: "interrupted", reason, hint: "Prompt it to continue.", answers: [] };
  }
  if (!exhausted) return lastEnd;
  const { reader } = await options.store.openMember(lead, { onSetAside: () => undefined });
  const unread = (await reader.unread()).map(({ message }) => message);
  if (!unread.some((message) => wakes(message) || wakesWhenQuiet(message))) return lastEnd;
  return { outcome: "budget", reason: exhausted, answers: lastEnd?.answers ?? [] };
}

async function membersOf(
  supervisor: SummarizedTeam,
  totals: Map<MemberName, UsageTotal>,
): Promise<MemberSummary[]> {
  const { keeper } = supervisor.protocols;
  await keeper.settled();
  const { members } = await keeper.read();
  const { failure, isBusy } = supervisor.members.lead.state;
  const restingStatus = failure === undefined ? "idle" : "failed";
  const status: MemberStatus = isBusy ? "working" : restingStatus;
  const leadsModel = supervisor.models.lead.model;
  const self = { name: lead, role: "lead", status, model: leadsModel };
  return [self, ...members].map(({ name, role, status: current, model = leadsModel }) => {
    const { state } = supervisor.members.get(name) ?? {};
    const total = totals.get(name);
    const usage = total && reportUsage(total);
    return {
      name,
      role,
      status: current,
      model,
      answered_by: state?.model ?? answeringModel(model, undefined),
      outcome: state?.lastEnd?.outcome,
      usage,
      cost_usd: usage ? usage.cost_usd : 0,
    };
  });
}
