import { findUndone, type RewindPoint, rewindTranscript } from "../../agent/rewind.ts";
import { lead, type MemberName, system } from "../../protocol/ids.ts";
import type { TranscriptEntry } from "../../protocol/transcript.ts";
import { unlessDecided } from "../../requests/requests.ts";
import { realPathOf } from "../../workspace/real-path.ts";
import type { Equipment } from "../equipment.ts";
import type { MemberHandle } from "../members/member-handle.ts";
import { isMemberSigned } from "../members/signed-fields.ts";
import { aliveSince } from "../members/spawning.ts";
import { promptIdOf } from "../protocols/result-questions.ts";
import type { Supervisor } from "../supervisor.ts";
import { entriesOldestFirst } from "../view/read-pages.ts";
import { type Checkpoint, findCheckpoints, requireCheckpoint } from "./checkpoints.ts";
import { type FileEffect, FileRestore } from "./file-restore.ts";
import { type MemberCall, whatStays } from "./what-stays.ts";

/** What is to be taken back. */
export interface RewindOptions {
  /** What the members saw and said since the prompt (default: true). */
  conversation?: boolean;
  /** What the members' file tools changed since (default: true). */
  files?: boolean;
  /** The files that are restored although something else has changed them since (default: none). */
  overwrite?: readonly string[];
}

interface BegunRewind extends RewindOptions {
  begunAt: Date;
}

/** What going back to a prompt would do, and what it cannot take back. */
export interface RewindPreview {
  /** The prompt before which the team would be. */
  checkpoint: Checkpoint;
  /** The members whose conversation changes. One that was spawned since then ends. */
  members: { member: MemberName; effect: "goes-back" | "ends" }[];
  /** The files that change. One with a `problem` is left, or needs to be named in `overwrite`. */
  files: FileEffect[];
  /** What stays as it is, each in a sentence for the person. */
  cannot: string[];
}

/** What going back has done. */
export interface RewindReport extends RewindPreview {
  /** The files that are as they were then. */
  restored: string[];
  /** The whole text of the prompt, to write it again. */
  prompt: string;
}

/** Takes a team back to an earlier prompt of the person. */
export class TeamRewind {
  readonly #equipment: Equipment;
  readonly #supervisor: Supervisor;
  readonly #files: FileRestore;

  constructor(equipment: Equipment, supervisor: Supervisor) {
    this.#equipment = equipment;
    this.#supervisor = supervisor;
    const { store, changes, fileLocks: locks, layout } = equipment;
    this.#files = new FileRestore({
      ...{ history: store.history, keeper: changes.ofRewind(), locks },
      teamDirectory: layout.directory,
      roots: () => this.#roots(),
    });
  }

  async checkpoints(): Promise<Checkpoint[]> {
    const found = await findCheckpoints(this.#entries(lead));
    return found.map(({ id, at, text }) => ({ id, at, text }));
  }

  async preview(id: string): Promise<RewindPreview> {
    const { checkpoint, point } = await this.#require(id);
    const ends = await this.#newSince(point);
    const members: RewindPreview["members"] = [];
    const calls: MemberCall[] = [];
    for (const name of [...this.#living, ...(await this.#absent())]) {
      const undone = await findUndone(this.#entries(name), point);
      const effect = ends.includes(name) ? "ends" : "goes-back";
      const isAlive = this.#living.includes(name) || effect === "ends";
      if (isAlive && (undone.voids > 0 || effect === "ends"))
        members.push({ member: name, effect });
      for (const call of undone.calls) {
        calls.push({ member: name, call, hasFailed: undone.failed.has(call.call_id) });
      }
    }
    const files = await this.#files.preview(point.seenAt);
    const isIncomplete = await this.#files.isIncomplete(point.seenAt);
    const cannot = await whatStays(this.#equipment, this.#supervisor, {
      ...{ point, calls, files, isIncomplete },
    });
    return { checkpoint, members, files, cannot };
  }

  /**
   * While no member runs, and in an order in which a repetition after a crash does the rest: the lead,
   * in whose transcript the prompt is, goes back last. What the person writes after `begunAt` stays.
   */
  rewind(id: string, options: BegunRewind): Promise<RewindReport> {
    return this.#supervisor.pause.during(() => this.#rewind(id, options));
  }

  async #rewind(id: string, options: BegunRewind): Promise<RewindReport> {
    const { conversation = true, files = true, overwrite = [], begunAt } = options;
    const preview = await this.preview(id);
    const { point, prompt } = await this.#require(id);
    const overwrites = (path: string) => overwrite.includes(path);
    const restored = files ? await this.#files.restore(point.seenAt, overwrites) : [];
    if (conversation) await this.#rewindMembers(point, begunAt);
    const { hub } = this.#supervisor.protocols;
    hub.say({ type: "rewind", id: point.id, conversation, files: restored });
    return { ...preview, restored, prompt };
  }

  async #rewindMembers(point: RewindPoint, begunAt: Date): Promise<void> {
    const order = { type: "rewind", point, begunAt } as const;
    const { members, protocols } = this.#supervisor;
    await this.#cancelRequests(point);
    await protocols.plans.forgetSince(point.seenAt);
    const ends = await this.#newSince(point);
    for (const name of await this.#absent()) await this.#rewindAbsent(name, point);
    // What ends goes back first: its next incarnation is not to know what was undone. Its mail returns
    // to members that go back after it.
    for (const name of ends) {
      const member = members.get(name);
      if (member && !member.state.hasEnded) await member.order(order);
      const reason = "the person went back to before it was spawned";
      await this.#supervisor.end(name, { reason, expected: true });
    }
    const others = members.livingTeammates.filter(({ name }) => !ends.includes(name));
    for (const member of [...others, members.lead]) await member.order(order);
  }

  /** A member that does not run: the next one of its name is not to know what was undone. */
  async #rewindAbsent(name: MemberName, point: RewindPoint): Promise<void> {
    const { place, store } = this.#equipment;
    const { transcript } = await store.openMember(name, { onSetAside: () => undefined });
    await rewindTranscript(transcript, { point, now: place.clock.now(), hasEnded: true });
  }

  async #cancelRequests(point: RewindPoint): Promise<void> {
    const { requests } = this.#equipment.store;
    const { seenAt, sentAt, id: prompt } = point;
    for (const request of await requests.list({ state: "pending" })) {
      const createdAt = Date.parse(request.created_at);
      // A question to the lead is made before its prompt is sent.
      const isPrompt = request.type === "result" && promptIdOf(request) === prompt;
      const limit = request.type === "result" ? sentAt : seenAt;
      if (!isPrompt && createdAt < limit.getTime()) continue;
      const reason = "the person went back to an earlier prompt";
      await unlessDecided(requests.cancel(request.id, system, reason));
    }
  }

  /** The members that are there now and were not at the prompt. */
  async #newSince({ seenAt }: RewindPoint): Promise<MemberName[]> {
    const { members } = await this.#supervisor.protocols.keeper.read();
    const isNew = (since: string | undefined) =>
      since !== undefined && Date.parse(since) >= seenAt.getTime();
    return members.filter((member) => isNew(aliveSince(member))).map(({ name }) => name);
  }

  /** Those of the roster that do not run: they have ended, or could not be opened. */
  async #absent(): Promise<MemberName[]> {
    const { members } = await this.#supervisor.protocols.keeper.read();
    return members.map(({ name }) => name).filter((name) => !this.#living.includes(name));
  }

  async #roots(): Promise<string[]> {
    const { protocols, options } = this.#supervisor;
    const { members } = await protocols.keeper.read();
    const own = members
      .filter((member) => isMemberSigned(member, this.#equipment.store.signature))
      .flatMap(({ root }) => root ?? []);
    return Promise.all([options.lead.root, ...own].map(realPathOf));
  }

  get #living(): readonly MemberName[] {
    return this.#supervisor.members.living.map(({ name }: MemberHandle) => name);
  }

  async #require(id: string) {
    return requireCheckpoint(this.#entries(lead), id);
  }

  /** A member may run in another process, which has its transcript. */
  #entries(name: MemberName): AsyncIterable<TranscriptEntry> {
    return entriesOldestFirst(this.#equipment.store.view(), name);
  }
}
