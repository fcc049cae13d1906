import { closeSync } from "node:fs";
import { hasErrno } from "../errors.ts";
import type { FilePath } from "../lib/file-path.ts";
import { moveFile, removeFile } from "../lib/files.ts";
import { openPrivateSync } from "../lib/open-files.ts";
import { listSegments, segmentPath } from "../lib/segments.ts";
import type { MailLayout } from "./mail-layout.ts";
import { recentSegments, sizeOf } from "./mail-source.ts";

/** Turns the live log into the segment `generation`. Undefined where there is no live log. */
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

/** Makes the live log where it is missing, so that `echo >>` does not choose its permissions. */
export function createLog(layout: MailLayout): void {
  closeSync(openPrivateSync(layout.live, "a"));
}

/**
 * Drops the oldest segments until `maxBytes` are left, and returns those it has dropped. The newest
 * ones stay however large they are: unread lines may lie in them, and what they have is not
 * delivered again.
 */
export async function trimHistory(layout: MailLayout, maxBytes: number): Promise<number[]> {
  const dropped: number[] = [];
  let total = 0;
  for (const [age, segment] of (await listSegments(layout.directory)).reverse().entries()) {
    const path = segmentPath(layout.directory, segment);
    total += await sizeOf(path);
    if (total <= maxBytes || age < recentSegments) continue;
    await removeFile(path);
    dropped.push(segment);
  }
  return dropped;
}
