import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ensurePrivateDirectory } from "../lib/files.ts";

/**
 * The descriptor of a file that holds `text`, to be a command's input. The file has no name any more, so that nothing of it is left
 * when it is closed. Unlike a pipe it takes any text at once, and nobody has to write while the command reads, or does not.
 */
export async function openInput(text: string, directory: string): Promise<number> {
  await ensurePrivateDirectory(directory);
  const path = join(directory, `${randomUUID()}.input`);
  const { O_RDWR, O_CREAT, O_EXCL } = constants;
  const descriptor = openSync(path, O_RDWR | O_CREAT | O_EXCL, 0o600);
  try {
    rmSync(path);
    const bytes = Buffer.from(text);
    // At a position, so that the command reads from the beginning.
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(descriptor, bytes, at, bytes.length - at, at);
    }
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
