import { statSync } from "node:fs";
import type { FenceHolder } from "../../fence/fence.ts";
import type { Clock } from "../../lib/clock.ts";
import { DirectoryWatch } from "../../lib/directory-watch.ts";
import { Listeners } from "../../lib/listeners.ts";
import { Serial } from "../../lib/serial.ts";
import type { MemberName } from "../../protocol/ids.ts";
import { rosterFile } from "../../roster/team-file.ts";
import { teamLayout } from "../team-layout.ts";
import type { TeamChange } from "./team-view.ts";

export interface FileTeamChangesOptions {
  /** The team directory; it need not exist. */
  directory: string;
  clock: Clock;
  /** The members in the current roster; empty if it cannot be read. */
  members(): Promise<MemberName[]>;
  /** Like `TeamView.lead`. */
  lead(): Promise<FenceHolder | undefined>;
}

const lookForLeadMs = 2_000;
const lookAgainMs = 1_000;

/** Reports changes in a team directory, by any process, while there are listeners. */
export class FileTeamChanges {
  readonly #options: FileTeamChangesOptions;
  readonly #listeners = new Listeners<TeamChange>();
  readonly #serial = new Serial();
  readonly #watchedMembers = new Set<MemberName>();
  readonly #timers = new Map<string, () => void>();
  #directory: WatchedDirectory | undefined;
  #inbox: WatchedDirectory | undefined;
  #lead: string | undefined;

  constructor(options: FileTeamChangesOptions) {
    this.#options = options;
  }

  /** Calls `listener` after each change. Returns how to stop it. */
  add(listener: (change: TeamChange) => void): () => void {
    const remove = this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#start();
    return () => {
      if (remove() && this.#listeners.size === 0) this.#stop();
    };
  }

  #start(): void {
    this.#watchDirectory();
    this.#watchMembers();
    this.#lookForLead();
  }

  #stop(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#directory?.watch[Symbol.dispose]();
    this.#inbox?.watch[Symbol.dispose]();
    this.#directory = undefined;
    this.#inbox = undefined;
    this.#lead = undefined;
    this.#watchedMembers.clear();
  }

  #watchDirectory(): void {
    this.#directory = this.#watch(this.#options.directory, this.#directory, (watch) => {
      watch.subscribe(rosterFile, () => this.#rosterChanged());
      watch.subscribe("usage.jsonl", () => this.#tell({ type: "usage" }));
      // The times of directories are coarse: two changes of one moment look like one.
      watch.subscribe("tasks", () => this.#tellTwice({ type: "tasks" }));
      watch.subscribe("requests", () => this.#tellTwice({ type: "requests" }));
      watch.subscribe("landings", () => this.#tellTwice({ type: "landings" }));
    });
  }

  #rosterChanged(): void {
    this.#watchDirectory();
    this.#watchMembers();
    this.#tell({ type: "team" });
  }

  #watchMembers(): void {
    this.#run({ type: "team" }, async () => {
      const members = await this.#options.members();
      if (this.#listeners.size === 0) return;
      const { inbox } = teamLayout(this.#options.directory);
      this.#inbox = this.#watch(inbox, this.#inbox, () => this.#watchedMembers.clear());
      for (const member of members) this.#watchMail(member, this.#inbox.watch);
    });
  }

  #watchMail(member: MemberName, watch: DirectoryWatch): void {
    if (this.#watchedMembers.has(member)) return;
    this.#watchedMembers.add(member);
    watch.subscribe(`${member}.jsonl`, () => this.#tell({ type: "mail", member }));
    // The directory of the reader's own files, where the cursor is replaced as a whole.
    watch.subscribe(`.${member}`, () => this.#tellTwice({ type: "mail-read", member }));
    // Mail may have come before it was watched.
    this.#tell({ type: "mail", member });
  }

  #lookForLead(): void {
    this.#run({ type: "lead" }, async () => {
      const lead = JSON.stringify((await this.#options.lead()) ?? null);
      if (this.#lead !== lead) this.#tell({ type: "lead" });
      this.#lead = lead;
    });
    this.#schedule("lead", lookForLeadMs, () => this.#lookForLead());
  }

  /** The listener's own read then reports why this has failed. */
  #run(change: TeamChange, work: () => Promise<void>): void {
    void this.#serial.run(work).catch(() => this.#tell(change));
  }

  #tell(change: TeamChange): void {
    this.#listeners.emit(change);
  }

  #tellTwice(change: TeamChange): void {
    this.#tell(change);
    this.#schedule(JSON.stringify(change), lookAgainMs, () => this.#tell(change));
  }

  #schedule(name: string, delayMs: number, work: () => void): void {
    if (this.#listeners.size === 0) return;
    this.#timers.get(name)?.();
    const cancel = this.#options.clock.schedule(delayMs, () => {
      this.#timers.delete(name);
      work();
    });
    this.#timers.set(name, cancel);
  }

  /** The current watch, or a new one if another directory is in its place. */
  #watch(
    path: string,
    known: WatchedDirectory | undefined,
    begin: (watch: DirectoryWatch) => void,
  ): WatchedDirectory {
    const inode = statSync(path, { throwIfNoEntry: false })?.ino;
    if (known && known.inode === inode) return known;
    known?.watch[Symbol.dispose]();
    const { clock } = this.#options;
    // Without file events, it polls once a second.
    const watch = new DirectoryWatch({ directory: path, clock, onFallback: () => undefined });
    begin(watch);
    return { inode, watch };
  }
}

interface WatchedDirectory {
  /** Undefined if there was no directory yet. */
  inode: number | undefined;
  watch: DirectoryWatch;
}
