import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import type { Transcript } from "../../src/transcript/transcript.ts";

/** Where in the k-th write a process dies. */
export const deaths = ["before it", "within it", "after it"] as const;
export type Death = (typeof deaths)[number];

export class Crash extends Error {}

/** A transcript whose process dies at the k-th write. From then on nothing is written any more. */
export class DyingTranscript implements Transcript {
  readonly #transcript: Transcript;
  readonly #dieAt: number;
  readonly #death: Death;
  writes = 0;

  constructor(transcript: Transcript, dieAt: number, death: Death) {
    this.#transcript = transcript;
    this.#dieAt = dieAt;
    this.#death = death;
  }

  async append(entries: readonly TranscriptEntry[]): Promise<void> {
    this.writes++;
    if (this.writes > this.#dieAt) throw new Crash();
    if (this.writes < this.#dieAt) return this.#transcript.append(entries);
    if (this.#death === "within it") await this.#transcript.append(entries.slice(0, 1));
    if (this.#death === "after it") await this.#transcript.append(entries);
    throw new Crash();
  }

  tail = () => this.#transcript.tail();
  entries = () => this.#transcript.entries();
}
