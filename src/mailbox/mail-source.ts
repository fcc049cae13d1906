import { stat } from "node:fs/promises";
import { hasErrno } from "../errors.ts";
import { listSegments, segmentPath } from "../lib/segments.ts";
import type { MessageId } from "../protocol/ids.ts";
import type { Position } from "../protocol/message.ts";
import { anchorOf, type MailCursor } from "./mail-cursor.ts";
import { readIds } from "./mail-ids.ts";
import type { MailLayout } from "./mail-layout.ts";
import { readAnchor } from "./mail-scanner.ts";

/** One log of a mailbox that unread lines may lie in: the live one, or a segment of late. */
export interface MailSource {
  readonly generation: number;
  readonly path: string;
  inode: string;
  /** Up to here lines are in memory. */
  scanned: Mark;
  /** Up to here they are acknowledged. */
  settled: Mark;
  /** Whether lines may lie behind `scanned`. The live log is always looked at. */
  mayHaveMore: boolean;
  /** Until when a segment is searched for lines of slow writers, by the monotonic clock. */
  watchedUntilMs: number;
  /** What was read from this log, so that a line written twice is delivered once. */
  readonly seen: Set<MessageId>;
  /** Whether `seen` was emptied, and has only what came late. */
  isForgotten: boolean;
}

/** A place in a log, and the bytes before it by which it is recognised. */
export interface Mark {
  offset: number;
  anchor: Buffer;
}

/** How many segments behind the live log are searched for a line that was written twice. */
export const seenSegments = 2;

/** How many bytes of lines one scan takes into memory. */
export const scanBytes = 1024 * 1024;

export interface RecoveryOptions {
  layout: MailLayout;
  cursor: MailCursor | undefined;
  /** How far the transcript has taken in each generation. */
  delivered: readonly Position[];
}

/**
 * Where reading goes on after a restart: segments first, the live log last.
 *
 * The transcript and the cursor each know how far things have come; the further one counts. A log
 * that is not the one the cursor knew is read from its start, as a generation of its own.
 */
export async function recoverSources(options: RecoveryOptions): Promise<MailSource[]> {
  const { layout, cursor, delivered } = options;
  const segments = await listSegments(layout.directory);
  const liveGeneration = Math.max(
    1,
    (segments.at(-1) ?? 0) + 1,
    cursor?.generation ?? 0,
    ...delivered.map(({ generation }) => generation),
  );
  const sources: MailSource[] = [];
  for (const generation of segments) {
    const isRecent = generation >= liveGeneration - seenSegments;
    const known = settledOffset(options, generation);
    // Most of history is neither recent nor mentioned: it costs a start nothing.
    if (!isRecent && known === undefined && isPast(options, generation)) continue;
    const path = segmentPath(layout.directory, generation);
    const size = await sizeOf(path);
    const done = known ?? (isPast(options, generation) ? size : 0);
    if (!isRecent && done >= size) continue;
    sources.push(await openSource({ generation, path, offset: Math.min(done, size) }));
  }
  sources.push(await openLive(options, liveGeneration));
  for (const { path, settled, seen } of sources.slice(-seenSegments - 1)) {
    for await (const id of readIds(path, settled.offset)) seen.add(id);
  }
  return sources;
}

/** What the cursor or the transcript says of a generation; undefined where neither knows it. */
function settledOffset(options: RecoveryOptions, generation: number): number | undefined {
  const { cursor, delivered } = options;
  const known = [...delivered, ...(cursor ? [cursor, ...cursor.segments] : [])]
    .filter((position) => position.generation === generation)
    .map(({ offset }) => offset);
  return known.length > 0 ? Math.max(...known) : undefined;
}

/** A segment that is older than what is mentioned was acknowledged before it became one. */
function isPast({ cursor, delivered }: RecoveryOptions, generation: number): boolean {
  const known = cursor ? [cursor, ...delivered] : delivered;
  return known.some((position) => position.generation > generation);
}

async function openLive(options: RecoveryOptions, generation: number): Promise<MailSource> {
  const { layout, cursor } = options;
  const offset = settledOffset(options, generation) ?? 0;
  const isSameLog =
    cursor?.generation !== generation ||
    anchorOf((await readAnchor(layout.live, cursor.offset)).anchor) === cursor.anchor;
  const { isLineEnd } = await readAnchor(layout.live, offset);
  if (isSameLog && isLineEnd) return openSource({ generation, path: layout.live, offset });
  return openSource({ generation: generation + 1, path: layout.live, offset: 0 });
}

async function openSource(place: { path: string; generation: number; offset: number }) {
  const { anchor } = await readAnchor(place.path, place.offset);
  return newSource(place, { offset: place.offset, anchor });
}

export function newSource(
  { path, generation }: { path: string; generation: number },
  start: Mark = { offset: 0, anchor: Buffer.alloc(0) },
): MailSource {
  return {
    generation,
    path,
    inode: "",
    scanned: start,
    settled: start,
    mayHaveMore: true,
    watchedUntilMs: 0,
    seen: new Set(),
    isForgotten: false,
  };
}

export async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return 0;
    throw error;
  }
}
