import { type BigIntStats, closeSync, fstatSync, readSync } from "node:fs";
import { describeAppearance } from "../lib/appearance.ts";
import type { FilePath } from "../lib/file-path.ts";
import { type FileLine, LineReader, LineSplitter } from "../lib/line-reader.ts";
import { openIfExistsSync } from "../lib/open-files.ts";
import { maxLineBytes } from "./mail-line.ts";

/** A place in a log where a line ends, and the end of that line, by which it is recognised. */
export interface MailMark {
  offset: number;
  tail: Buffer;
}

export const startOfLog: MailMark = { offset: 0, tail: Buffer.alloc(0) };

const newline = 0x0a;
/** The end of a long line is enough: a record has its signature there. */
const tailLength = 95;

export function markAfter({ bytes, end }: FileLine): MailMark {
  return { offset: end, tail: bytes.subarray(-tailLength) };
}

/** The same mark in memory of its own: a mark that stays must not keep all that was read with it. */
export function ownMark({ offset, tail }: MailMark): MailMark {
  return { offset, tail: Buffer.from(tail) };
}

/** The bytes right before a mark: the end of the line, and its newline. */
export function anchorOf({ offset, tail }: MailMark): Buffer {
  return offset === 0 ? tail : Buffer.concat([tail, Buffer.of(newline)]);
}

/** The mark at `offset`, or undefined where no line of the log ends there. */
export async function markAt(path: FilePath, offset: number): Promise<MailMark | undefined> {
  if (offset === 0) return startOfLog;
  await using reader = await LineReader.open(path);
  const before = await reader?.before(offset, tailLength + 1);
  if (before?.at(-1) !== newline) return undefined;
  const line = before.subarray(0, -1);
  return { offset, tail: line.subarray(line.lastIndexOf(newline) + 1) };
}

/** Whether nothing follows the last newline of the log. */
export async function endsWithLine(path: FilePath): Promise<boolean> {
  await using reader = await LineReader.open(path);
  const size = Number((await reader?.stat())?.size ?? 0);
  return size === 0 || (await reader?.before(size, 1))?.at(0) === newline;
}

/** A log that is open at the place where reading continues. */
export interface OpenMailLog extends AsyncDisposable {
  inode: string;
  /** When the log was last written. */
  modified: Date;
  /** Changes with every write to the log, as far as the file system reports it. */
  appearance: string;
  /** The whole lines that follow, in batches; an unterminated tail is left for later. */
  lines: AsyncIterable<FileLine[]> | Iterable<FileLine[]>;
}

/**
 * Opens a log to continue after `from`. Undefined if there is no file; "replaced" if the file is
 * not the one that was read before.
 */
export async function openLog(
  path: FilePath,
  from: MailMark,
): Promise<OpenMailLog | "replaced" | undefined> {
  const little = readLittle(path, from);
  if (little !== "much") return little;

  const reader = await LineReader.open(path, { maxLineBytes });
  if (!reader) return undefined;
  try {
    const anchor = anchorOf(from);
    const before = await reader.before(from.offset, anchor.length);
    if (before.equals(anchor)) {
      return {
        ...describeLog(await reader.stat()),
        lines: reader.batches(from.offset),
        [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
      };
    }
  } catch (error) {
    await reader[Symbol.asyncDispose]();
    throw error;
  }
  await reader[Symbol.asyncDispose]();
  return "replaced";
}

/** How much is read synchronously at most. */
const littleBytes = 64 * 1024;

/**
 * The new lines of a log if they are few, as at nearly every wake. Synchronous: they were written a
 * moment ago and are in memory, where reading them takes a few microseconds. The thread pool takes
 * many times as long, and would be needed six times.
 */
function readLittle(path: FilePath, from: MailMark): OpenMailLog | "replaced" | "much" | undefined {
  const descriptor = openIfExistsSync(path);
  if (descriptor === undefined) return undefined;
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    const anchor = anchorOf(from);
    const start = from.offset - anchor.length;
    const length = Number(stats.size) - start;
    if (length > littleBytes) return "much";
    const bytes = Buffer.allocUnsafe(Math.max(0, length));
    const read = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start));
    if (!read.subarray(0, anchor.length).equals(anchor)) return "replaced";
    const splitter = new LineSplitter(path, from.offset, maxLineBytes);
    return {
      ...describeLog(stats),
      lines: [splitter.push(read.subarray(anchor.length))],
      [Symbol.asyncDispose]: async () => undefined,
    };
  } finally {
    closeSync(descriptor);
  }
}

function describeLog(stats: BigIntStats) {
  const { ino, mtime: modified } = stats;
  return { inode: String(ino), modified, appearance: describeAppearance(stats) };
}
