import { type Activity, afterEvent, noActivity } from "../../lib/activity.ts";
import { summarizeCall } from "../../lib/summarize-call.ts";
import { answeringModel, modelIds } from "../../model/model-list.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import { lead, type MemberName, TeammateName } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/message.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import { roleText } from "../../protocol/role-text.ts";
import type { MemberRecord, MemberStatus } from "../../protocol/team.ts";
import { totalTokens, type UsageReport } from "../../protocol/usage.ts";
import type { MemberMode } from "../../team/protocols/member-modes.ts";
import type { BackgroundCommand } from "../../team/team.ts";

/** A member as a person sees it at a glance. */
export interface MemberGlance {
  readonly name: MemberName;
  readonly color: string | undefined;
  readonly role: string;
  readonly status: MemberStatus;
  /** What it does or waits for; empty if the status says it all. */
  readonly activity: string;
  /** When it started that, in milliseconds of the clock. */
  readonly sinceMs: number;
  /** When it asks its provider again, in milliseconds of the clock, if it waits for that. */
  readonly asksAgainMs: number | undefined;
  /** The last output of its current call. */
  readonly output: string;
  /** What it asks the person, in a few words; undefined if it asks nothing. */
  readonly asked: string | undefined;
  /** All tokens of its model calls. */
  readonly tokens: number;
  /** What the calls with a known price cost; null if none had one. */
  readonly costUsd: number | null;
  /** How many calls are not in `costUsd`. */
  readonly unpricedCalls: number;
  /** The size of its conversation after its last turn, if that is known. */
  readonly contextTokens: number | undefined;
  /** How many tokens its model takes in, if that is known. */
  readonly contextWindow: number | undefined;
  /** The commands that it has running in the background, oldest first. */
  readonly background: readonly string[];
  /** Its model, or of a list of them the one that answers. */
  readonly model: string;
  readonly mode: PermissionMode | undefined;
}

/** The members of the team and what each is doing, from the events of the team. */
export class MemberOverview {
  readonly #members = new Map<MemberName, TrackedMember>();
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number, leadsModels = "") {
    this.#monotonicMs = monotonicMs;
    this.#change(lead, { role: "lead", status: "idle" });
    this.#setModels(lead, leadsModels);
  }

  /** The lead first, then the others in the order they appeared. */
  get members(): readonly MemberGlance[] {
    return [...this.#members.values()];
  }

  get(name: MemberName): MemberGlance | undefined {
    return this.#members.get(name);
  }

  get isAnyAtWork(): boolean {
    return this.members.some(({ status }) => status === "working");
  }

  /** Takes over what only the roster knows for certain. */
  enlist(members: readonly MemberRecord[]): void {
    for (const { name, role: words, agent, color, status, detail, model = "" } of members) {
      const role = roleText({ role: words, agent });
      const isNews = this.#members.get(name)?.status !== status;
      this.#change(name, { role, color, status, ...(isNews && { activity: detail ?? "" }) });
      this.#setModels(name, model);
    }
  }

  /** Takes over the open questions to the person. */
  setQuestions(open: readonly TeamRequest[]): void {
    for (const { name } of this.members) {
      const question = open.find(({ from }) => from === name);
      this.#change(name, { asked: question && askedText(question) });
    }
  }

  setModes(modes: readonly MemberMode[]): void {
    for (const { member, mode } of modes) this.#change(member, { mode });
  }

  setBackground(running: readonly BackgroundCommand[]): void {
    for (const { name } of this.members) {
      const own = running.filter(({ member }) => member === name);
      this.#change(name, { background: own.map(({ command }) => command) });
    }
  }

  setWindow(name: MemberName, contextWindow: number | undefined): void {
    this.#change(name, { contextWindow });
  }

  setUsage(name: MemberName, usage: UsageReport): void {
    if (!this.#members.has(name)) return;
    const { cost_usd: costUsd, unpriced_calls: unpricedCalls } = usage;
    this.#change(name, { costUsd, unpricedCalls, tokens: totalTokens(usage) });
  }

  note(event: AgentEvent): void {
    const { member } = event;
    // Mail is also sent by the person, the runtime, and others who are no members.
    if (member === undefined || !(member === lead || TeammateName.safeParse(member).success))
      return;
    const before = this.#members.get(member) ?? newcomer(member, this.#monotonicMs());
    const state = afterEvent(before.state, event);
    const activity = activityAfter(event, state, before);
    this.#members.set(member, {
      ...before,
      ...asideFrom(event, before),
      ...modelAfter(event, before),
      state,
      contextTokens: state.contextTokens,
      activity,
      status: event.type === "member-change" ? event.status : statusOf(state, before),
      sinceMs: activity === before.activity ? before.sinceMs : this.#monotonicMs(),
      asksAgainMs: state.waitsFor === null ? undefined : this.#asksAgainMs(event, before),
    });
  }

  #asksAgainMs(event: AgentEvent, { asksAgainMs }: TrackedMember): number | undefined {
    if (event.type !== "model-wait") return asksAgainMs;
    return event.delay_ms > 0 ? this.#monotonicMs() + event.delay_ms : undefined;
  }

  #setModels(name: MemberName, models: string): void {
    if (this.#members.get(name)?.models === models) return;
    this.#change(name, { models, model: answeringModel(models, undefined) });
  }

  #change(name: MemberName, change: Partial<TrackedMember>): void {
    const before = this.#members.get(name) ?? newcomer(name, this.#monotonicMs());
    this.#members.set(name, { ...before, ...change });
  }
}

/** A member with its activity so far. */
interface TrackedMember extends MemberGlance {
  /** Its model, or a list of them, as it was given. */
  readonly models: string;
  readonly state: Activity;
}

function newcomer(name: MemberName, sinceMs: number): TrackedMember {
  return {
    ...{ name, sinceMs, color: undefined, role: "", status: "idle", activity: "" },
    ...{ output: "", asked: undefined, tokens: 0, costUsd: 0, unpricedCalls: 0, state: noActivity },
    ...{ contextTokens: undefined, contextWindow: undefined, background: [] },
    asksAgainMs: undefined,
    ...{ models: "", model: "", mode: undefined },
  };
}

function askedText(request: TeamRequest): string {
  switch (request.type) {
    case "plan":
      return "approve the plan";
    case "permission": {
      const { tool, input } = request.subject;
      return `${tool} ${summarizeCall(tool, input)}`;
    }
    case "shutdown":
    case "result":
      return "";
  }
}

function statusOf({ isRunning }: Activity, { status }: TrackedMember): MemberStatus {
  return isRunning ? "working" : status;
}

/** A member that is not running keeps the detail of its roster record. */
function activityAfter(
  event: AgentEvent,
  { isRunning, doing, waitsFor }: Activity,
  before: TrackedMember,
) {
  if (event.type === "member-change" && event.status !== "working") return event.detail ?? "";
  if (!isRunning && !before.state.isRunning) return before.activity;
  if (waitsFor !== null) return `waits for ${waitsFor}`;
  return [doing?.tool, doing?.text].filter((part) => part).join(" ");
}

/** More than is ever shown of a running call. */
const keptOutput = 2_000;

/** The one that answers is known by its events, until the member is given another model or list. */
function modelAfter(event: AgentEvent, { models }: TrackedMember): Partial<TrackedMember> {
  switch (event.type) {
    case "model-set":
      return { models: event.model, model: answeringModel(event.model, undefined) };
    case "model-change":
      // After a change, the last request to the models before may still go from one to the other.
      return modelIds(models).includes(event.to) ? { model: event.to } : {};
    default:
      return {};
  }
}

/** Changes by an event other than to the activity. */
function asideFrom(event: AgentEvent, { output, tokens }: TrackedMember): Partial<MemberGlance> {
  switch (event.type) {
    case "tool-call":
      return { output: "" };
    case "tool-output":
      return { output: `${output}${event.text}`.slice(-keptOutput) };
    case "tool-result":
      return { output: "" };
    case "turn-end":
      return { tokens: tokens + totalTokens(event.usage) };
    case "mode-change":
      return { mode: event.mode };
    default:
      return {};
  }
}
