import { createHash } from "node:crypto";
import { closeSync, fstatSync, readSync } from "node:fs";
import { hasErrno } from "../errors.ts";
import { openIfExistsSync } from "./open-files.ts";
import { OwnDirectory } from "./own-directory.ts";

/** The name of a file that keeps `content`. */
export function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * The content of the file that is named after its `hash`; undefined where it is not there, was
 * changed, or has more than `maxBytes`.
 */
export function readContent(directory: string, hash: string, maxBytes: number): Buffer | undefined {
  using held = openIfThere(directory);
  const descriptor = held && openIfExistsSync(held.to(hash));
  if (descriptor === undefined) return undefined;
  try {
    const { size } = fstatSync(descriptor);
    if (size > maxBytes) return undefined;
    const bytes = Buffer.allocUnsafe(size);
    const content = bytes.subarray(0, readSync(descriptor, bytes, 0, size, 0));
    return hashOf(content) === hash ? content : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** A directory of ours, or undefined where there is none. */
export function openIfThere(directory: string): OwnDirectory | undefined {
  try {
    return OwnDirectory.open(directory);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}
