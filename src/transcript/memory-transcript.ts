import { Listeners } from "../lib/listeners.ts";
import type { TranscriptEntry } from "../protocol/transcript.ts";
import { CountingEntries, type Transcript } from "./transcript.ts";

/** The entries from one beginning of the transcript to the next. */
export interface MemoryRecord {
  /** Counts how often the transcript has begun. */
  readonly number: number;
  readonly entries: readonly TranscriptEntry[];
}

/**
 * A transcript for tests and temporary teams. Keeps every promise except to survive the process.
 */
export class MemoryTranscript implements Transcript {
  readonly #listeners = new Listeners<void>();
  #number = 1;
  #entries: TranscriptEntry[] = [];

  async append(entries: readonly TranscriptEntry[]): Promise<void> {
    this.#entries.push(...structuredClone(entries));
    this.#listeners.emit();
  }

  async tail(): Promise<TranscriptEntry[]> {
    const counting = new CountingEntries();
    const newestFirst: TranscriptEntry[] = [];
    for (const entry of this.#entries.toReversed()) {
      if (!counting.counts(entry)) continue;
      newestFirst.push(entry);
      if (entry.type === "compaction") break;
    }
    return newestFirst.reverse();
  }

  clear(): void {
    this.#number += 1;
    this.#entries = [];
    this.#listeners.emit();
  }

  async *entries(): AsyncGenerator<TranscriptEntry> {
    yield* this.#entries;
  }

  /** The entries since the last beginning. It grows until the next beginning. */
  get record(): MemoryRecord {
    return { number: this.#number, entries: this.#entries };
  }

  /** Calls `listener` after each change. Returns how to stop it. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }
}
