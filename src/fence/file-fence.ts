import { TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { FilePath } from "../lib/file-path.ts";
import type { ProcessIdentity, ProcessTable } from "../lib/process-identity.ts";
import { wait } from "../lib/wait.ts";
import { type Fence, type FenceHolder, type HeldFence, leadAlive } from "./fence.ts";
import { FenceFiles } from "./fence-files.ts";
import { HeldFileFence } from "./held-file-fence.ts";
import { type HolderState, judgeHolder, silenceMs, trustMs } from "./holder-state.ts";
import type { HeldRecord } from "./lead-record.ts";

export interface FileFenceOptions {
  /** Belongs to the fence alone, such as `.team/fence`. */
  directory: FilePath;
  clock: Clock;
  processes: ProcessTable;
  /** Called with problems that a person should know of: a damaged file, a full disk, a wait. */
  onNotice(notice: string): void;
  /** False once another directory is in the place of this one. Not needed for a look. */
  isInPlace?: () => boolean;
}

/**
 * A fence in a directory, for any number of processes and also across machines and containers.
 *
 * The fence changes hands by compare-and-set of one record, so only one of several contenders can
 * follow a holder. Whether that holder is dead is read from the process table where it can be, and
 * from its heartbeat where it cannot.
 */
export class FileFence implements Fence {
  readonly #files: FenceFiles;
  readonly #clock: Clock;
  readonly #processes: ProcessTable;
  readonly #onNotice: (notice: string) => void;

  constructor({ directory, clock, processes, onNotice, isInPlace }: FileFenceOptions) {
    const now = () => clock.now();
    this.#files = new FenceFiles({ directory, onDamage: onNotice, now, isInPlace });
    this.#clock = clock;
    this.#processes = processes;
    this.#onNotice = onNotice;
  }

  async acquire(signal?: AbortSignal): Promise<HeldFence> {
    signal?.throwIfAborted();
    const self = await this.#processes.self();
    for (;;) {
      const current = await this.#files.lead();
      const trustLeftMs = current?.type === "held" ? await this.#outlive(current, self, signal) : 0;

      const epoch = (current?.version ?? 0) + 1;
      const at = this.#clock.now().toISOString();
      if (await this.#files.commit({ id: "lead", version: epoch, at, type: "held", ...self })) {
        return this.#hold(epoch, trustLeftMs, signal);
      }
      // Another contender was first, and is judged like any holder.
      await this.#assertMoved(current?.version);
    }
  }

  async look(): Promise<FenceHolder | undefined> {
    const record = await this.#files.lead();
    if (record?.type !== "held") return undefined;
    const verdict = await this.#judgeHolder(record, await this.#processes.self());
    const isAlive = verdict.type === "running" || verdict.type === "heard";
    return { epoch: record.version, host: record.host, pid: record.pid, isAlive };
  }

  async #judgeHolder(holder: HeldRecord, self: ProcessIdentity): Promise<HolderState> {
    return judgeHolder({
      holder,
      heartbeat: await this.#files.heartbeat(holder.version),
      self,
      startHere: await this.#processes.startOf(holder.pid),
      now: this.#clock.now(),
    });
  }

  /**
   * Resolves when `holder` may be succeeded, to how long it may still trust itself if it is alive
   * after all. Throws `lead-alive` otherwise.
   */
  async #outlive(
    holder: HeldRecord,
    self: ProcessIdentity,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const verdict = await this.#judgeHolder(holder, self);
    switch (verdict.type) {
      case "ended":
        return 0;
      case "running":
        throw leadAlive(holder, "Write to it with `troupe send lead`, or quit it where it runs.");
      case "heard":
        throw leadAlive(holder, elsewhereHint(silenceMs - verdict.agoMs));
      case "silent":
        this.#onNotice(waitNotice(holder, verdict.observeMs + trustMs));
        if (await this.#beatsWithin(verdict.observeMs, holder.version, signal)) {
          throw leadAlive(holder, elsewhereHint(silenceMs));
        }
        return trustMs;
    }
  }

  async #hold(epoch: number, trustLeftMs: number, signal?: AbortSignal): Promise<HeldFence> {
    const held = await HeldFileFence.start({
      epoch,
      files: this.#files,
      clock: this.#clock,
      onNotice: this.#onNotice,
    });
    await this.#files.removeLeftovers(this.#clock.now());
    if (trustLeftMs === 0) return held;
    try {
      // A predecessor that woke just before the record changed hands has a fresh heartbeat too,
      // and does not look at the record until it has aged.
      await wait(this.#clock, trustLeftMs, signal);
      await held.check();
      return held;
    } catch (error) {
      await held[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Watches for a heartbeat of `epoch`. It counts looks, so that a pause of this process does not
   * count as silence.
   */
  async #beatsWithin(durationMs: number, epoch: number, signal?: AbortSignal): Promise<boolean> {
    const before = await this.#files.heartbeat(epoch);
    for (let looks = durationMs / lookMs; looks > 0; looks--) {
      await wait(this.#clock, lookMs, signal);
      const heartbeat = await this.#files.heartbeat(epoch);
      if (heartbeat?.beat !== before?.beat) return true;
    }
    return false;
  }

  /**
   * Throws if the record has not changed: a version that exists but cannot be read would be
   * contended for without end.
   */
  async #assertMoved(version: number | undefined): Promise<void> {
    const current = await this.#files.lead();
    if (current?.version !== version) return;
    throw new TeamError("record-corrupt", "The record of the team's lead is damaged", {
      hint: "When no lead is running, remove the directory `fence` of the team and start again.",
    });
  }
}

const lookMs = 1_000;

function waitNotice({ pid, host }: HeldRecord, durationMs: number): string {
  return `The lead that was pid ${pid} on ${host} does not respond; waiting ${durationMs / 1_000} s to be sure that it is gone.`;
}

function elsewhereHint(retryMs: number): string {
  const seconds = Math.ceil(retryMs / 1_000);
  return `It runs on another machine or in another container. If it is gone, try again in ${seconds} s.`;
}
