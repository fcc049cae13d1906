import { randomUUID } from "node:crypto";
import { link, open, rename, rm } from "node:fs/promises";
import { hasErrno, TeamError } from "../../errors.ts";

interface WriteOptions {
  /** Whether a file that is there already may go. */
  replaces: boolean;
  /** Aborted when nothing shall be written after all. */
  signal: AbortSignal;
}

const fileMode = 0o600;

/**
 * Writes a file for its owner alone, whole or not at all, from pieces that each end a line. Returns
 * its size in bytes and what the pieces returned.
 */
export async function writePieces<T>(
  path: string,
  pieces: AsyncGenerator<string, T>,
  { replaces, signal }: WriteOptions,
): Promise<{ bytes: number; result: T }> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const written = await writeTo(temporary, pieces, signal);
    if (replaces) await rename(temporary, path);
    else await linkOnce(temporary, path);
    return written;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeTo<T>(
  path: string,
  pieces: AsyncGenerator<string, T>,
  signal: AbortSignal,
): Promise<{ bytes: number; result: T }> {
  const file = await open(path, "wx", fileMode);
  try {
    let bytes = 0;
    let next = await pieces.next();
    while (!next.done) {
      signal.throwIfAborted();
      const piece = Buffer.from(`${next.value}\n`);
      await file.writeFile(piece);
      bytes += piece.length;
      next = await pieces.next();
    }
    return { bytes, result: next.value };
  } finally {
    await file.close();
  }
}

async function linkOnce(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (hasErrno(error, "EEXIST")) throw alreadyThere(to);
    throw error;
  }
}

export function alreadyThere(path: string): TeamError {
  return new TeamError("write-failed", `There is a file already: ${path}`, {
    hint: "Name another file, or replace it with --force.",
  });
}
