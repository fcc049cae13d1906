import type { Entry } from "../protocol/transcript.ts";
import type { Transcript } from "./transcript.ts";

/** A transcript for tests and passing teams. Keeps every promise but to survive the process. */
export class MemoryTranscript implements Transcript {
  readonly #entries: Entry[] = [];

  async append(entries: readonly Entry[]): Promise<void> {
    this.#entries.push(...structuredClone(entries));
  }

  async tail(): Promise<Entry[]> {
    const start = this.#entries.findLastIndex(({ type }) => type === "compaction");
    return this.#entries.slice(Math.max(start, 0));
  }

  clear(): void {
    this.#entries.length = 0;
  }

  async *entries(): AsyncGenerator<Entry> {
    yield* this.#entries;
  }
}
