import { type FilePath, sizeOf } from "../lib/file-path.ts";
import { LineReader } from "../lib/line-reader.ts";
import { listSegments, segmentPath } from "../lib/segments.ts";
import type { MailPosition } from "../protocol/message.ts";
import { hashAnchor, type MailCursor } from "./mail-cursor.ts";
import type { MailLayout } from "./mail-layout.ts";
import { type MailMark, markAt, startOfLog } from "./mail-scanner.ts";
import type { LostMail } from "./mailbox.ts";

/** One log of a mailbox that may have unread lines: the live one, or a recent segment. */
export interface MailSource {
  readonly generation: number;
  readonly path: FilePath;
  inode: string;
  /** The end of the lines in memory. */
  scanned: MailMark;
  /** The end of the acknowledged lines. */
  settled: MailMark;
  /** The log's appearance when it was last read to its end; undefined if it was not. */
  appearance: string | undefined;
  /**
   * True if it is not the log that was read before, so that it is unknown how much of it was read.
   */
  readonly isAnother: boolean;
  /** The end of the lines that were acknowledged before and are searched again for lost mail. */
  readonly againUpTo: number;
  /** Until when a segment is searched for lines of slow writers, by the monotonic clock. */
  watchedUntilMs: number;
}

export function newSource(
  {
    path,
    generation,
    isAnother = false,
    againUpTo = 0,
  }: Pick<MailSource, "path" | "generation"> & Partial<MailSource>,
  start: MailMark = startOfLog,
): MailSource {
  return {
    isAnother,
    againUpTo,
    generation,
    path,
    inode: "",
    scanned: start,
    settled: start,
    appearance: undefined,
    watchedUntilMs: 0,
  };
}

/**
 * How many segments before the live log are always read: a line may appear there for the second
 * time.
 */
export const recentSegments = 2;

export interface RecoveryOptions {
  layout: MailLayout;
  cursor: MailCursor | undefined;
  /** The last position of each generation that the transcript has. */
  delivered: readonly MailPosition[];
  /** The mail that must be searched again. */
  lost: LostMail | undefined;
}

/**
 * Where reading continues after a restart: segments first, the live log last.
 *
 * The transcript and the cursor each record a position; the further one counts. A log that is not
 * the one the cursor knew is read from its start, as a new generation.
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
    const isRecent = generation >= liveGeneration - recentSegments;
    const source = await recoverSegment(options, generation, isRecent);
    if (source) sources.push(source);
  }
  return [...sources, await recoverLive(options, liveGeneration)];
}

async function recoverSegment(
  options: RecoveryOptions,
  generation: number,
  isRecent: boolean,
): Promise<MailSource | undefined> {
  const known = settledOffset(options, generation);
  const isPast = isBeforeWhatIsKnown(options, generation);
  // Most segments are neither recent nor mentioned, and cost nothing at a start.
  const again = againFrom(options, generation);
  if (!isRecent && known === undefined && isPast && again === undefined) return undefined;
  const path = segmentPath(options.layout.directory, generation);
  const size = sizeOf(path);
  const done = known ?? (isPast ? size : 0);
  const start = Math.min(done, again ?? done);
  if (!isRecent && start >= size) return undefined;
  // If somebody has changed a segment, none of it is skipped.
  const mark = done > size ? undefined : await markAt(path, start);
  return newSource({ path, generation, isAnother: !mark, againUpTo: mark ? done : 0 }, mark);
}

/** The byte from which a log is searched again; undefined if it is not. */
function againFrom({ lost }: RecoveryOptions, generation: number): number | undefined {
  if (!lost) return undefined;
  const { after } = lost;
  if (!after || generation > after.generation) return 0;
  return generation === after.generation ? after.offset : undefined;
}

/**
 * The offset that the cursor or the transcript has for a generation; undefined if neither has one.
 */
function settledOffset(options: RecoveryOptions, generation: number): number | undefined {
  const { cursor, delivered } = options;
  const known = [...delivered, ...(cursor ? [cursor, ...cursor.segments] : [])]
    .filter((position) => position.generation === generation)
    .map(({ offset }) => offset);
  return known.length > 0 ? Math.max(...known) : undefined;
}

/**
 * True for a segment older than all that are mentioned: it was acknowledged before it became one.
 */
function isBeforeWhatIsKnown(options: RecoveryOptions, generation: number): boolean {
  const { cursor, delivered } = options;
  const known = cursor ? [cursor, ...delivered] : delivered;
  return known.some((position) => position.generation > generation);
}

async function recoverLive(options: RecoveryOptions, generation: number): Promise<MailSource> {
  const { layout, cursor } = options;
  const path = layout.live;
  const done = settledOffset(options, generation) ?? 0;
  const mark = await markAt(path, done);
  const isSameLog =
    cursor?.generation !== generation || (await isAnchored(path, cursor.offset, cursor.anchor));
  if (mark && isSameLog) {
    const start = Math.min(done, againFrom(options, generation) ?? done);
    return newSource({ path, generation, againUpTo: done }, await markAt(path, start));
  }
  return newSource({ path, generation: generation + 1, isAnother: true });
}

async function isAnchored(
  path: FilePath,
  offset: number,
  anchor: MailCursor["anchor"],
): Promise<boolean> {
  await using reader = await LineReader.open(path);
  const before = await reader?.before(offset, anchor.length);
  return hashAnchor(before ?? Buffer.alloc(0)).hash === anchor.hash;
}
