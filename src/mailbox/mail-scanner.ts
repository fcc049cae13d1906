import { stat } from "node:fs/promises";
import { hasErrno } from "../errors.ts";
import { type Line, LineReader } from "../lib/line-reader.ts";
import { maxLineBytes } from "./mail-line.ts";

/** A place in a log where a line ends, and the bytes before it by which it is recognised. */
export interface Mark {
  offset: number;
  anchor: Buffer;
}

export const startOfLog: Mark = { offset: 0, anchor: Buffer.alloc(0) };

const newline = 0x0a;
/** Of a long line its end is enough: that is where a record has its signature. */
const anchorLength = 96;

export function markAfter({ bytes, end }: Line): Mark {
  const anchor = Buffer.concat([bytes.subarray(1 - anchorLength), Buffer.of(newline)]);
  return { offset: end, anchor };
}

/** The mark at `offset`, or undefined where no line of the log ends there. */
export async function markAt(path: string, offset: number): Promise<Mark | undefined> {
  if (offset === 0) return startOfLog;
  await using reader = await LineReader.open(path);
  const before = await reader?.before(offset, anchorLength);
  if (before?.at(-1) !== newline) return undefined;
  const lineStart = before.subarray(0, -1).lastIndexOf(newline) + 1;
  return { offset, anchor: before.subarray(lineStart) };
}

/** Whether nothing follows the last newline of the log. */
export async function endsWithLine(path: string): Promise<boolean> {
  await using reader = await LineReader.open(path);
  return (await reader?.unterminated()) === undefined;
}

export interface Scan {
  inode: string;
  /** When the log was last written. */
  modified: Date;
  /** Changes with every write to the log, as far as the file system tells. */
  appearance: string;
  /** The whole lines that are not blank. */
  lines: Line[];
  /** Behind the last whole line, blank or not. */
  end: Mark;
}

export interface ScanOptions {
  path: string;
  from: Mark;
  /** Stop after about so many bytes of lines. */
  maxBytes: number;
}

/**
 * Reads whole lines; an unterminated tail is left for the next time. Undefined where there is no
 * file; "replaced" where the file is not the one that was read up to `from`.
 */
export async function scanLog(options: ScanOptions): Promise<Scan | "replaced" | undefined> {
  const { path, from, maxBytes } = options;
  await using reader = await LineReader.open(path, { maxLineBytes });
  if (!reader) return undefined;
  const stats = await reader.stat();
  const before = await reader.before(from.offset, from.anchor.length);
  if (!before.equals(from.anchor)) return "replaced";

  const lines: Line[] = [];
  let end = from;
  for await (const batch of reader.batches(from.offset)) {
    for (const line of batch) if (line.bytes.length > 0) lines.push(line);
    const last = batch.at(-1);
    if (last) end = markAfter(last);
    if (end.offset - from.offset >= maxBytes) break;
  }
  const { ino, mtime: modified } = stats;
  return { inode: String(ino), modified, appearance: describe(stats), lines, end };
}

/** What a scan of the log would give as its `appearance`; undefined where there is no file. */
export async function appearanceOf(path: string): Promise<string | undefined> {
  try {
    return describe(await stat(path, { bigint: true }));
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

interface Appearance {
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
}

function describe({ ino, size, mtimeNs }: Appearance): string {
  return `${ino} ${size} ${mtimeNs}`;
}
