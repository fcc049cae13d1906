import { findUndone, type RewindPoint } from "../../agent/rewind.ts";
import { TeamError } from "../../errors.ts";
import { summarizeCall } from "../../lib/summarize-call.ts";
import { lead, type MemberName, system } from "../../protocol/ids.ts";
import { traitsOf } from "../../protocol/tool-traits.ts";
import type { ToolCall, TranscriptEntry } from "../../protocol/transcript.ts";
import { unlessDecided } from "../../requests/requests.ts";
import { realPathOf } from "../../workspace/real-path.ts";
import type { Equipment } from "../equipment.ts";
import { isBusy, type MemberHandle } from "../members/member-handle.ts";
import { isMemberSigned } from "../members/signed-fields.ts";
import type { Supervisor } from "../supervisor.ts";
import { type Checkpoint, findCheckpoints, requireCheckpoint } from "./checkpoints.ts";
import { type FileEffect, FileRestore } from "./file-restore.ts";

/** What is to be taken back. */
export interface RewindOptions {
  /** What the members saw and said since the prompt (default: true). */
  conversation?: boolean;
  /** What the members' file tools changed since (default: true). */
  files?: boolean;
  /** The files that are restored although something else has changed them since (default: none). */
  overwrite?: readonly string[];
}

/** What going back to a prompt would do, and what it cannot take back. */
export interface RewindPreview {
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
}

const maxNamed = 20;

/** Takes a team back to an earlier prompt of the person. */
export class TeamRewind {
  readonly #equipment: Equipment;
  readonly #supervisor: Supervisor;
  readonly #files: FileRestore;

  constructor(equipment: Equipment, supervisor: Supervisor) {
    this.#equipment = equipment;
    this.#supervisor = supervisor;
    const { history, fileLocks: locks, layout } = equipment;
    const roots = () => this.#roots();
    this.#files = new FileRestore({ history, locks, teamDirectory: layout.directory, roots });
  }

  async checkpoints(): Promise<Checkpoint[]> {
    const found = await findCheckpoints(await this.#entries(lead));
    return found.map(({ id, at, text }) => ({ id, at, text }));
  }

  async preview(id: string): Promise<RewindPreview> {
    const { checkpoint, point } = await requireCheckpoint(await this.#entries(lead), id);
    const since = await this.#spawnedSince(point);
    const members: RewindPreview["members"] = [];
    const calls: MemberCall[] = [];
    for (const { name } of this.#living) {
      const undone = await findUndone(await this.#entries(name), point);
      const effect = since.includes(name) ? "ends" : "goes-back";
      if (undone.voids > 0 || effect === "ends") members.push({ member: name, effect });
      calls.push(...undone.calls.map((call) => ({ member: name, call })));
    }
    const files = await this.#files.preview(point.seenAt);
    const cannot = [
      ...commandsIn(calls),
      ...this.#ownCallsIn(calls),
      ...(await this.#lostFiles(files, point)),
      ...(await this.#lasting(point)),
    ];
    return { checkpoint, members, files, cannot };
  }

  /**
   * In an order in which a repetition after a crash does the rest: the lead, in whose transcript the
   * prompt is, goes back last.
   */
  async rewind(id: string, options: RewindOptions): Promise<RewindReport> {
    const { conversation = true, files = true, overwrite = [] } = options;
    this.#requireRest();
    const preview = await this.preview(id);
    const { point } = await requireCheckpoint(await this.#entries(lead), id);
    const overwrites = (path: string) => overwrite.includes(path);
    const restored = files ? await this.#files.restore(point.seenAt, overwrites) : [];
    if (conversation) await this.#rewindMembers(point);
    const { id: prompt } = preview.checkpoint;
    const { hub } = this.#supervisor.protocols;
    hub.say({ type: "rewind", id: prompt, conversation, files: restored });
    return { ...preview, restored };
  }

  async #rewindMembers(point: RewindPoint): Promise<void> {
    const reason = "the person went back to before it was spawned";
    for (const name of await this.#spawnedSince(point)) {
      await this.#supervisor.end(name, { reason, expected: true });
    }
    await this.#cancelRequests(point);
    await this.#supervisor.protocols.plans.forgetSince(point.seenAt);
    const teammates = this.#living.filter(({ name }) => name !== lead);
    for (const member of [...teammates, this.#supervisor.members.lead]) {
      await member.order({ type: "rewind", point });
    }
  }

  async #cancelRequests({ seenAt }: RewindPoint): Promise<void> {
    const { requests } = this.#equipment.store;
    for (const { id, created_at } of await requests.list({ state: "pending" })) {
      if (Date.parse(created_at) < seenAt.getTime()) continue;
      const reason = "the person went back to an earlier prompt";
      await unlessDecided(requests.cancel(id, system, reason));
    }
  }

  async #spawnedSince({ seenAt }: RewindPoint): Promise<MemberName[]> {
    const { members } = await this.#supervisor.protocols.keeper.read();
    return members
      .filter(({ status, spawned_at }) => {
        const isLater = spawned_at !== undefined && Date.parse(spawned_at) >= seenAt.getTime();
        return isLater && status !== "shutdown";
      })
      .map(({ name }) => name);
  }

  #ownCallsIn(calls: readonly MemberCall[]): string[] {
    const own = new Set(this.#equipment.tools.map(({ spec }) => spec.name));
    return calls
      .filter(({ call }) => own.has(call.name))
      .slice(0, maxNamed)
      .map(({ member, call }) => `What ${call.name} did, which ${member} called, is not undone.`);
  }

  async #lostFiles(files: readonly FileEffect[], { seenAt }: RewindPoint): Promise<string[]> {
    const left = files.filter(({ action }) => action === "leave");
    const lost = left.map(({ path, problem }) => `${path} is left as it is: ${problem}.`);
    const more = "There were so many changes of files since that the first ones are not known.";
    return (await this.#files.isIncomplete(seenAt)) ? [...lost, more] : lost;
  }

  /** What goes on whatever the members forget. */
  async #lasting({ seenAt }: RewindPoint): Promise<string[]> {
    const { store } = this.#equipment;
    const isLater = (at: string | undefined) =>
      at !== undefined && Date.parse(at) >= seenAt.getTime();
    const tasks = (await store.tasks.list()).filter(({ updated_at }) => isLater(updated_at));
    const { members } = await this.#supervisor.protocols.keeper.read();
    const ended = members.filter(
      ({ status, spawned_at }) => status === "shutdown" && !isLater(spawned_at),
    );
    const gone: MemberName[] = [];
    for (const { name } of ended) {
      const { entries } = await store.view().transcript(name, { limit: 1 });
      if (isLater(entries.at(-1)?.entry?.at)) gone.push(name);
    }
    const jobs = this.#living.filter(({ state }) => state.backgroundJobs > 0);
    return [
      ...tasks.map(({ id }) => `Task ${id} was created or changed since, and stays as it is.`),
      ...gone.map((name) => `'${name}' has ended since, and does not come back.`),
      ...jobs.map(({ name }) => `'${name}' has commands in the background, which run on.`),
    ];
  }

  #requireRest(): void {
    const busy = this.#living.filter(isBusy).map(({ name }) => name);
    if (busy.length === 0) return;
    throw new TeamError("team-busy", `${busy.join(", ")}: still working`, {
      hint: "Interrupt the members first, and wait until the team is quiet.",
    });
  }

  async #roots(): Promise<string[]> {
    const { protocols, options } = this.#supervisor;
    const { members } = await protocols.keeper.read();
    const own = members
      .filter((member) => isMemberSigned(member, this.#equipment.store.signature))
      .flatMap(({ root }) => root ?? []);
    return Promise.all([options.lead.root, ...own].map(realPathOf));
  }

  get #living(): readonly MemberHandle[] {
    return this.#supervisor.members.living;
  }

  async #entries(name: MemberName): Promise<AsyncIterable<TranscriptEntry>> {
    const onSetAside = () => undefined;
    return (await this.#equipment.store.openMember(name, { onSetAside })).transcript.entries();
  }
}

interface MemberCall {
  member: MemberName;
  call: ToolCall;
}

/** Commands can change anything: each is named. */
function commandsIn(calls: readonly MemberCall[]): string[] {
  const commands = calls.filter(({ call }) => traitsOf(call.name).ruleScope === "commands");
  const named = commands.slice(0, maxNamed).map(({ member, call }) => {
    const summary = summarizeCall(call.name, call.input);
    return `What a command of ${member} did is not undone: ${summary}`;
  });
  const more = commands.length - named.length;
  return more > 0 ? [...named, `${more} more commands are not undone.`] : named;
}
