import { type Activity, afterEvent, noActivity } from "../../lib/activity.ts";
import { mapInBatches } from "../../lib/batches.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import { totalTokens } from "../../protocol/usage.ts";
import { memberNames } from "../../team/find-member.ts";
import { entriesNewestFirst } from "../../team/view/read-pages.ts";
import type { MemberUsage, TeamView } from "../../team/view/team-view.ts";
import { type MemberPast, memberView, noPast } from "./member-view.ts";
import type { RoomRecords } from "./records.ts";

export interface RoomMembersOptions {
  records: RoomRecords;
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
  #usage: ReadonlyMap<MemberName, MemberUsage> = new Map();
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
  publish(): void {
    const { records, unreadOf } = this.#options;
    if (this.#changed.size === 0) return;
    const asked = this.#asked();
    for (const name of this.names) {
      if (!this.#changed.has(name)) continue;
      records.set(
        records.members,
        memberView({
          name,
          member: this.#team.members.find((each) => each.name === name),
          activity: this.#activities.get(name) ?? noActivity,
          past: this.#pasts.get(name) ?? noPast,
          usage: this.#usage.get(name),
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
