import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { TeamError } from "../errors.ts";
import { type Directory, swapped } from "./directory.ts";

/** A larger file is read in parts only, and never changed by a tool. */
export const maxWholeBytes = 10 * 1024 * 1024;

/** An open file: its real path, and its stats when it was opened. */
export interface OpenFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/**
 * Opens a regular file; pipes, sockets and devices are not even touched. Undefined if there is
 * nothing of this name.
 */
export async function openRegularFile(
  directory: Directory,
  name: string,
  flags: number,
): Promise<OpenFile | undefined> {
  const path = join(directory.path, name);
  const found = await directory.stat(name);
  if (!found) return undefined;
  assertRegularFile(path, found);
  const handle = await directory.openFile(name, flags);
  try {
    const stats = await handle.stat({ bigint: true });
    assertRegularFile(path, stats);
    return { path, handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function assertRegularFile(path: string, stats: BigIntStats): void {
  if (stats.isFile()) return;
  if (stats.isSymbolicLink()) throw swapped(path);
  throw stats.isDirectory()
    ? new TeamError("path-refused", `${path} is a directory`, {
        hint: "List what is in it with glob.",
      })
    : new TeamError("path-refused", `${path} is a device, a pipe or a socket`, {
        hint: "File tools work on files only.",
      });
}

/** The whole content of a file within the limit. */
export async function readWhole(handle: FileHandle, path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(handle)) {
    size += chunk.length;
    if (size > maxWholeBytes) throw tooLarge(path);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const chunkBytes = 256 * 1024;

/** The content of the file, from its beginning to its end. */
export async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function tooLarge(path: string): TeamError {
  return new TeamError(
    "path-refused",
    `${path} has more than ${maxWholeBytes} bytes, too many for a file tool to change`,
    { hint: "Change it with a command." },
  );
}
