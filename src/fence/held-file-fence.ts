import type { Clock } from "../lib/clock.ts";
import { fenceLost, type HeldFence } from "./fence.ts";
import type { FenceFiles } from "./fence-files.ts";
import { type ClockReading, heartbeatMs, isTrusted } from "./holder-state.ts";

export interface HeldFileFenceOptions {
  epoch: number;
  files: FenceFiles;
  clock: Clock;
  onNotice(notice: string): void;
}

/** A file fence that this process has acquired; it beats until it is released or lost. */
export class HeldFileFence implements HeldFence {
  readonly epoch: number;
  readonly #files: FenceFiles;
  readonly #clock: Clock;
  readonly #onNotice: (notice: string) => void;
  readonly #lost = new AbortController();
  #beats = 0;
  /** When the last heartbeat that reached the disk was begun. */
  #heard: ClockReading | undefined;
  #isFailing = false;
  #beating: Promise<void> = Promise.resolve();
  #cancelBeat = () => {};
  #release: Promise<void> | undefined;

  private constructor({ epoch, files, clock, onNotice }: HeldFileFenceOptions) {
    this.epoch = epoch;
    this.#files = files;
    this.#clock = clock;
    this.#onNotice = onNotice;
  }

  static async start(options: HeldFileFenceOptions): Promise<HeldFileFence> {
    const held = new HeldFileFence(options);
    await held.#beat();
    return held;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async check(): Promise<void> {
    this.lost.throwIfAborted();
    if (this.#release) throw fenceLost("the team has been closed");
    if (!this.#heard || !isTrusted(this.#heard, this.#moment())) await this.#confirm();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#release ??= this.#end();
    return this.#release;
  }

  async #end(): Promise<void> {
    this.#cancelBeat();
    await this.#beating;
    if (this.lost.aborted) return;
    const at = this.#clock.now().toISOString();
    // Refused when another lead has taken over meanwhile: then there is nothing left to release.
    await this.#files.commit({ id: "lead", version: this.epoch + 1, at, type: "released" });
  }

  /** Reads on disk whether the fence is still ours. */
  async #confirm(): Promise<void> {
    const current = await this.#files.lead();
    if (current?.version === this.epoch) return;
    const error = fenceLost(
      current?.type === "held"
        ? `pid ${current.pid} on ${current.host} has taken over`
        : "its record is gone",
    );
    // While the fence is being released, this process itself has changed the record.
    if (!this.#release) this.#lost.abort(error);
    throw error;
  }

  /** Beats once, and again after a while. A beat that fails only leaves the last one to age. */
  async #beat(): Promise<void> {
    const begun = this.#moment();
    try {
      // A process that slept must not overwrite the heartbeat of its successor.
      await this.#confirm();
      const at = new Date(begun.wallMs).toISOString();
      await this.#files.writeHeartbeat({ epoch: this.epoch, beat: ++this.#beats, at });
      this.#heard = begun;
      this.#isFailing = false;
    } catch (error) {
      this.#report(error);
    }
    if (this.lost.aborted || this.#release) return;
    this.#cancelBeat = this.#clock.schedule(heartbeatMs, () => {
      this.#beating = this.#beat();
    });
  }

  /** Says once per series of failed heartbeats why they fail; the loss itself is `lost`'s to say. */
  #report(error: unknown): void {
    if (this.lost.aborted || this.#isFailing) return;
    this.#isFailing = true;
    this.#onNotice(`The lead's heartbeat cannot be written: ${String(error)}`);
  }

  #moment(): ClockReading {
    return { wallMs: this.#clock.now().getTime(), monotonicMs: this.#clock.monotonicMs() };
  }
}
