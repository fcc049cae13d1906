import { closeSync, ftruncateSync, readSync, writeSync } from "node:fs";
import type { z } from "zod";
import { reasonOf, TeamError } from "../errors.ts";
import { type FilePath, nameOf, parentOf, sizeOf, within } from "./file-path.ts";
import { ensurePrivateDirectory, moveFile } from "./files.ts";
import { type HeldFile, HeldFiles } from "./held-files.ts";
import { parseJson } from "./json.ts";
import { type FileLine, LineReader, maxRecordBytes } from "./line-reader.ts";
import { openPrivateSync } from "./open-files.ts";
import { sideDirectory } from "./segments.ts";

/** A line that is not a record, or a tail that never became one, and what is wrong with it. */
export interface Damage {
  path: string;
  offset: number;
  reason: string;
}

/** Each of `records` as one line. */
export function toLines(records: readonly object[]): string {
  let lines = "";
  for (const record of records) lines += `${JSON.stringify(record)}\n`;
  return lines;
}

/** The record in `line`. An empty line has none; any other without a record is reported. */
export function parseLine<T>(
  line: FileLine,
  schema: z.ZodType<T>,
  onDamage: (damage: Damage) => void,
): T | undefined {
  const { path, offset, end, bytes } = line;
  if (bytes.length === 0) return undefined;
  if (line.isCut) {
    const reason = `${path}, byte ${offset}: ${end - offset} bytes are more than a record may have`;
    onDamage({ path: String(path), offset, reason });
    return undefined;
  }
  try {
    return parseJson(bytes.toString(), schema, `${path}, byte ${offset}`);
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    onDamage({ path: String(path), offset, reason: error.message });
    return undefined;
  }
}

/**
 * Appends `lines` to the file at `path`, whose only writer this process is, with one write(2). When
 * it returns, they survive the death of the process. When it throws, the file is unchanged; if it
 * cannot be restored, the next call ends the torn line before it writes its own.
 *
 * With `files`, the file stays open for the next call.
 */
export function appendLines(path: FilePath, lines: string, files?: HeldFiles): void {
  requireBounded(path, lines);
  using own = new HeldFiles();
  try {
    writeWhole((files ?? own).open(path, "a+"), lines);
  } catch (error) {
    throw writeFailed(path, error);
  }
}

function requireBounded(path: FilePath, lines: string): void {
  // Nearly always all lines together are shorter than one may be.
  if (lines.length < maxRecordBytes / 4) return;
  if (lines.split("\n").every((line) => Buffer.byteLength(line) < maxRecordBytes)) return;
  throw new TeamError(
    "write-failed",
    `${path} cannot store a record of more than ${maxRecordBytes} bytes`,
  );
}

/** The error for a file that could not be written because of `cause`. */
export function writeFailed(path: FilePath, cause: unknown): TeamError {
  return new TeamError("write-failed", `${path} could not be written: ${reasonOf(cause)}`, {
    cause,
    hint: "Check that the disk has space and the file is writable, then try again.",
  });
}

function writeWhole(file: HeldFile, lines: string): void {
  const { descriptor, size } = file;
  const isWhole = size === file.end || endsWithLine(descriptor, size);
  const bytes = Buffer.from(isWhole ? lines : `\n${lines}`);
  try {
    const written = writeSync(descriptor, bytes);
    if (written < bytes.length) throw new Error(`${written} of ${bytes.length} bytes fitted`);
    file.end = size + written;
  } catch (error) {
    ftruncateSync(descriptor, size);
    throw error;
  }
}

/** True for an empty file, and for one that ends with a line break. */
export function endsWithLine(descriptor: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last.toString() === "\n";
}

const tornBytes = 1024 * 1024;
const maxAsideBytes = 8 * 1024 * 1024;

/**
 * Appends `lines` to a bounded file: if it is longer than `maxBytes`, it first replaces the file at
 * `olderPath`.
 */
export async function appendAside(
  path: FilePath,
  lines: string,
  maxBytes = maxAsideBytes,
): Promise<void> {
  await ensurePrivateDirectory(parentOf(path));
  if (sizeOf(path) >= maxBytes) await moveFile(path, olderPath(path));
  appendLines(path, lines);
}

/** Where the older half of a bounded file is: `<name>.older.jsonl`. */
export function olderPath(path: FilePath): FilePath {
  return within(parentOf(path), nameOf(path).replace(/\.jsonl$/, ".older.jsonl"));
}

function cutOff(path: FilePath, size: number): void {
  const descriptor = openPrivateSync(path, "a");
  try {
    ftruncateSync(descriptor, size);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Repairs the end of `path` after the death of its writer. A record that lacks only its newline
 * gets it; other bytes move to `torn.jsonl` in the side directory and are reported. Returns whether
 * there were any.
 */
export async function repairTail<T>(
  path: FilePath,
  schema: () => z.ZodType<T>,
  onDamage: (damage: Damage) => void,
): Promise<boolean> {
  await using reader = await LineReader.open(path);
  const tail = await reader?.unterminated();
  if (!tail) return false;

  const damages: Damage[] = [];
  if (parseLine(tail, schema(), (damage) => damages.push(damage)) !== undefined) {
    appendLines(path, "");
    return false;
  }
  const tornPath = within(sideDirectory(path), "torn.jsonl");
  // The beginning is enough to see what it was, if it is longer than any record.
  const torn = await reader?.after(tail.offset, Math.min(tail.end - tail.offset - 1, tornBytes));
  await appendAside(tornPath, `${torn?.toString()}\n`);
  cutOff(path, tail.offset);
  for (const { reason, ...place } of damages) {
    onDamage({ ...place, reason: `${reason}; the torn line is in ${tornPath}` });
  }
  return true;
}
