import { type Activity, afterEvent, noActivity } from "../../lib/activity.ts";
import { mapInBatches } from "../../lib/batches.ts";
import { type OwnFacts, sharedWindow } from "../../model/model-facts.ts";
import { answeringModel } from "../../model/model-list.ts";
import { showHidden } from "../../permissions/show-hidden.ts";
import type { MemberView } from "../../protocol/dashboard.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import type { MemberName } from "../../protocol/ids.ts";
import { user } from "../../protocol/ids.ts";
import { roleText } from "../../protocol/role-text.ts";
import type { MemberRecord, TeamRecord } from "../../protocol/team.ts";
import { totalTokens } from "../../protocol/usage.ts";
import { memberNames } from "../../team/find-member.ts";
import type { MemberMode } from "../../team/protocols/member-modes.ts";
import { entriesNewestFirst } from "../../team/view/read-pages.ts";
import type { MemberUsage, TeamView } from "../../team/view/team-view.ts";
import type { RoomRecords } from "./records.ts";

export interface RoomMembersOptions {
  records: RoomRecords;
  /** What the person says of models and providers. */
  own: OwnFacts;
  unreadOf(name: MemberName): number;
}

/** How many entries of a transcript are searched for what its member last used. */
const maxLinesBack = 300;

/** What each member is doing, from roster, events, usage and mail. */
export class RoomMembers {
  readonly #options: RoomMembersOptions;
  readonly #activities = new Map<string, Activity>();
  readonly #pasts = new Map<string, MemberPast>();
  readonly #changed = new Set<MemberName>();
  /** The context window of each model, null if it is not known. */
  readonly #windows = new Map<string, number | null>();
  #usage: ReadonlyMap<MemberName, MemberUsage> = new Map();
  #modes: ReadonlyMap<MemberName, MemberMode> = new Map();
  #team: TeamRecord;

  constructor(team: TeamRecord, options: RoomMembersOptions) {
    this.#team = team;
    this.#options = options;
  }

  get names(): MemberName[] {
    return memberNames(this.#team);
  }

  setTeam(team: TeamRecord): void {
    this.#team = team;
    const { records } = this.#options;
    records.keepOnly(records.members, new Set(this.names));
    this.changeAll();
  }

  setUsage(usage: ReadonlyMap<MemberName, MemberUsage>): void {
    this.#usage = usage;
    this.changeAll();
  }

  setModes(modes: readonly MemberMode[]): void {
    this.#modes = new Map(modes.map((mode) => [mode.member, mode]));
    this.changeAll();
  }

  take(event: AgentEvent): void {
    const { member } = event;
    if (member === undefined) return;
    this.#activities.set(member, afterEvent(this.#activities.get(member) ?? noActivity, event));
    this.change(member);
  }

  change(name: MemberName): void {
    this.#changed.add(name);
  }

  changeAll(): void {
    for (const name of this.names) this.#changed.add(name);
  }

  /** Resets all activities: no process runs the team, or another one does. */
  rest(): void {
    for (const [name, activity] of this.#activities) {
      const { lastActivity, contextTokens } = activity;
      this.#activities.set(name, { ...noActivity, lastActivity, contextTokens });
    }
    this.changeAll();
  }

  /** Updates the records of the members that have changed. */
  async publish(): Promise<void> {
    const { records, unreadOf } = this.#options;
    if (this.#changed.size === 0) return;
    await this.#findWindows();
    const asked = this.#asked();
    for (const name of this.names) {
      if (!this.#changed.has(name)) continue;
      const model = this.#modelOf(name);
      records.set(
        records.members,
        memberView({
          name,
          member: this.#memberNamed(name),
          model: model && answeringModel(model, this.#usage.get(name)?.model),
          window: this.#windows.get(model ?? "") ?? null,
          activity: this.#activities.get(name) ?? noActivity,
          past: this.#pasts.get(name) ?? noPast,
          usage: this.#usage.get(name),
          mode: this.#modes.get(name),
          asked: asked.get(name),
          unread: unreadOf(name),
          isTeamRunning: records.running !== null,
        }),
      );
    }
    this.#changed.clear();
  }

  /** Reads the transcripts for facts that no event has. */
  async lookBack(view: TeamView, signal: AbortSignal): Promise<void> {
    await mapInBatches(this.names, async (name) => {
      if (signal.aborted) return;
      this.#pasts.set(name, await pastOf(view, name));
      this.change(name);
    });
  }

  #memberNamed(name: MemberName): MemberRecord | undefined {
    return this.#team.members.find((each) => each.name === name);
  }

  #modelOf(name: MemberName): string | null {
    const { model } = this.#memberNamed(name) ?? {};
    return model ?? this.#usage.get(name)?.model ?? this.#pasts.get(name)?.model ?? null;
  }

  async #findWindows(): Promise<void> {
    for (const model of new Set(this.names.map((name) => this.#modelOf(name)))) {
      if (model === null || this.#windows.has(model)) continue;
      this.#windows.set(model, (await sharedWindow(model, this.#options.own)) ?? null);
    }
  }

  /** Who has to answer, by the member that waits for it. */
  #asked(): Map<string, string> {
    const asked = new Map<string, string>();
    for (const { state, type, from, to } of this.#options.records.requests.values()) {
      if (state === "pending" && type !== "shutdown") asked.set(from, to);
    }
    return asked;
  }
}

async function pastOf(view: TeamView, name: MemberName): Promise<MemberPast> {
  let past: MemberPast = noPast;
  let left = maxLinesBack;
  for await (const entry of entriesNewestFirst(view, name)) {
    past = { ...past, lastActivity: past.lastActivity ?? entry.at };
    if (entry.type === "profile") past = { ...past, model: past.model ?? entry.model };
    // Entries before a summary are no longer in the context.
    if (entry.type === "compaction") break;
    if (entry.type === "reply" && entry.usage) {
      past = { ...past, contextTokens: totalTokens(entry.usage) };
      break;
    }
    if (left-- <= 0) break;
  }
  return past;
}

/** Everything that is known about a member, from all sources. */
interface MemberFacts {
  name: string;
  /** Its roster record; undefined for the lead, who has none. */
  member: MemberRecord | undefined;
  model: string | null;
  /** The size of its model's context. */
  window: number | null;
  activity: Activity;
  /** What is known from the end of its transcript. */
  past: MemberPast;
  usage: MemberUsage | undefined;
  /** Its permission mode, where that is known. */
  mode: MemberMode | undefined;
  /** Who has to answer its request. */
  asked: string | undefined;
  unread: number;
  /** False if no process runs the team: then no member does anything. */
  isTeamRunning: boolean;
}

interface MemberPast {
  lastActivity: string | null;
  contextTokens: number | null;
  model: string | undefined;
}

export const noPast: MemberPast = { lastActivity: null, contextTokens: null, model: undefined };

export function memberView(facts: MemberFacts): MemberView {
  const { name, member, model, window, activity, past, usage, isTeamRunning, unread } = facts;
  const tokens = activity.contextTokens ?? past.contextTokens;
  return {
    name,
    role: showHidden(member ? roleText(member) : "lead"),
    is_lead: member === undefined,
    status: member?.status ?? (isTeamRunning && activity.isRunning ? "working" : "idle"),
    model,
    color: member?.color ?? null,
    permission_mode: facts.mode?.mode ?? null,
    follows_lead: facts.mode?.followsLead ?? false,
    plan_required: member?.plan_required ?? false,
    cwd: member?.cwd ?? null,
    doing: isTeamRunning ? activity.doing : null,
    waits_for: isTeamRunning ? waitsFor(facts) : null,
    tokens: usage ? totalTokens(usage) : 0,
    cost_usd: usage?.cost_usd ?? 0,
    unpriced_calls: usage?.unpriced_calls ?? 0,
    context: tokens === null ? null : { tokens, window },
    last_activity: latest(activity.lastActivity, past.lastActivity),
    unread: member?.status === "shutdown" ? 0 : unread,
  };
}

function waitsFor({ asked, activity }: MemberFacts): string | null {
  if (asked === undefined) return activity.waitsFor;
  if (asked === user) return "the person";
  return asked === "lead" ? "the lead" : asked;
}

/** To the second: otherwise every streamed word would be a change. */
function latest(a: string | null, b: string | null): string | null {
  const newest = (a ?? "") > (b ?? "") ? a : b;
  return newest === null ? null : `${newest.slice(0, 19)}.000Z`;
}
