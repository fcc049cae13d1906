import { closeSync, fstatSync, readSync, type Stats } from "node:fs";
import type { FilePath } from "./file-path.ts";
import { requireTextSize } from "./files.ts";
import { openIfExistsSync } from "./open-files.ts";

/**
 * A small file's text, and its appearance before the reading; undefined if there is none. Without
 * the thread pool, which costs several times as much as the reading: for callers that read very
 * many files, with pauses in between.
 */
export function readTextAtOnce(path: FilePath): { stats: Stats; text: string } | undefined {
  const descriptor = openIfExistsSync(path);
  if (descriptor === undefined) return undefined;
  try {
    const stats = fstatSync(descriptor);
    requireTextSize(path, stats.size);
    const bytes = Buffer.allocUnsafe(stats.size);
    const length = readSync(descriptor, bytes, 0, bytes.length, 0);
    return { stats, text: bytes.toString("utf8", 0, length) };
  } finally {
    closeSync(descriptor);
  }
}
