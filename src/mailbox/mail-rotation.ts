import { closeSync } from "node:fs";
import { hasErrno } from "../errors.ts";
import type { Signature } from "../keys/signature.ts";
import { type FilePath, sizeOf } from "../lib/file-path.ts";
import { moveFile, removeFile } from "../lib/files.ts";
import { appendLines } from "../lib/json-lines.ts";
import { LineReader } from "../lib/line-reader.ts";
import { openPrivateSync } from "../lib/open-files.ts";
import { listSegments, segmentPath } from "../lib/segments.ts";
import type { MailLayout } from "./mail-layout.ts";
import { isWholeRecord, maxLineBytes } from "./mail-line.ts";
import { recentSegments } from "./mail-source.ts";

/** Renames the live log to the segment `generation`. Undefined if there is no live log. */
export async function rotateLog(
  layout: MailLayout,
  generation: number,
): Promise<FilePath | undefined> {
  const segment = segmentPath(layout.directory, generation);
  try {
    await moveFile(layout.live, segment);
    return segment;
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Creates the live log if it is missing, so that `echo >>` does not choose its permissions. */
export function createLog(layout: MailLayout): void {
  closeSync(openPrivateSync(layout.live, "a"));
}

/**
 * Ends a last line that lacks only its newline: it is whole, and would otherwise wait for the next
 * line.
 */
export async function endLastLine({ live }: MailLayout, signature: Signature): Promise<void> {
  await using reader = await LineReader.open(live, { maxLineBytes });
  const last = await reader?.unterminated();
  if (last && isWholeRecord(last, signature)) appendLines(live, "");
}

/**
 * Deletes the oldest segments until `maxBytes` are left, and returns the deleted ones. The newest
 * ones are kept whatever their size: they may have unread lines, and their ids show which mail was
 * delivered.
 */
export async function trimHistory(layout: MailLayout, maxBytes: number): Promise<number[]> {
  const dropped: number[] = [];
  let total = 0;
  for (const [age, segment] of (await listSegments(layout.directory)).reverse().entries()) {
    const path = segmentPath(layout.directory, segment);
    total += sizeOf(path);
    if (total <= maxBytes || age < recentSegments) continue;
    await removeFile(path);
    dropped.push(segment);
  }
  return dropped;
}
