import { randomUUID } from "node:crypto";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { hasErrno, TeamError } from "../../errors.ts";
import { writeFailed } from "../../lib/json-lines.ts";

interface WriteOptions {
  /** Whether an existing file may be replaced. */
  replaces: boolean;
  /** Aborted if the file is not to be written after all. */
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
    const file = await toldOf(path, open(temporary, "wx", fileMode));
    const written = await writeTo(file, pieces, { path, signal });
    await toldOf(path, replaces ? rename(temporary, path) : linkOnce(temporary, path));
    return written;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeTo<T>(
  file: FileHandle,
  pieces: AsyncGenerator<string, T>,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<{ bytes: number; result: T }> {
  try {
    let bytes = 0;
    let next = await pieces.next();
    while (!next.done) {
      signal.throwIfAborted();
      const piece = Buffer.from(`${next.value}\n`);
      await toldOf(path, file.writeFile(piece));
      bytes += piece.length;
      next = await pieces.next();
    }
    return { bytes, result: next.value };
  } finally {
    await file.close();
  }
}

/** Replaces a system error by one about the file that the person named. */
async function toldOf<T>(path: string, writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    throw error instanceof Error && "errno" in error ? writeFailed(path, error) : error;
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
  return new TeamError("write-failed", `${path} already exists`, {
    hint: "Choose another file, or overwrite it: with --force, or in a program with `overwrite`.",
  });
}
