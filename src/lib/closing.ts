import type { FileHandle } from "node:fs/promises";

/**
 * Closes a file at the end of the block. A handle could do that itself, but Yarn's PnP replaces the
 * file system of Node by its own, whose handles cannot.
 */
export function closing(file: Pick<FileHandle, "close"> | undefined): AsyncDisposable {
  return { [Symbol.asyncDispose]: async () => file?.close() };
}
