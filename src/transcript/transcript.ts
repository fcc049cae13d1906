import type { MailPosition } from "../protocol/message.ts";
import type { ReceivedMail, TranscriptEntry } from "../protocol/transcript.ts";

/** The operations of any process on a member's transcript. Reading changes nothing. */
export interface TranscriptReader {
  /**
   * What counts, from the newest compaction that counts on, that entry included, or from the start. What a
   * `rewind` has made void does not count; the `rewind` itself is among the entries.
   */
  tail(): Promise<TranscriptEntry[]>;
  /** The whole record, oldest first, in bounded memory. */
  entries(): AsyncIterable<TranscriptEntry>;
}

/**
 * The durable, ordered record of what one member saw, said and did. One process writes it.
 *
 * Every backend promises, and src/testing/conformance/transcript.ts checks, that:
 * - entries are kept as they were given, in the order in which `append` was called;
 * - once `append` resolves, its entries survive the death of the process;
 * - an `append` that fails throws `write-failed` and leaves the record as it was; one that the
 *   process dies in leaves none of its entries, all, or the first few, each of them whole.
 */
export interface Transcript extends TranscriptReader {
  /** Adds entries at the end, and resolves when they are stored. */
  append(entries: readonly TranscriptEntry[]): Promise<void>;
}

/** Says of entries, newest first, which of them count. */
export class CountingEntries {
  #void = 0;

  counts(entry: TranscriptEntry): boolean {
    if (this.#void > 0) {
      this.#void -= 1;
      return false;
    }
    if (entry.type === "rewind") this.#void = entry.voids;
    return true;
  }
}

/**
 * The last position of each generation of the mailbox that has been taken in, oldest generation
 * first.
 */
export function deliveredPositions(entries: Iterable<TranscriptEntry>): MailPosition[] {
  const offsets = new Map<number, number>();
  for (const { generation, offset } of positionsIn(entries)) {
    offsets.set(generation, Math.max(offset, offsets.get(generation) ?? 0));
  }
  return [...offsets]
    .map(([generation, offset]) => ({ generation, offset }))
    .sort((a, b) => a.generation - b.generation);
}

/** The positions that a compaction of `entries` repeats: those of the newest generations. */
export function positionsToCarry(entries: Iterable<TranscriptEntry>): MailPosition[] {
  return deliveredPositions(entries).slice(-carriedGenerations);
}

const carriedGenerations = 8;

function* positionsIn(entries: Iterable<TranscriptEntry>): Generator<MailPosition> {
  for (const entry of entries) {
    yield* mailOf(entry).map(({ position }) => position);
    if (entry.type === "compaction" || entry.type === "rewind") yield* entry.delivered;
  }
}

/** The mail that an entry shows to its member. */
export function mailOf(entry: TranscriptEntry): readonly ReceivedMail[] {
  if (entry.type === "delivery") return [entry];
  return entry.type === "tool-result" ? (entry.mail ?? []) : [];
}
