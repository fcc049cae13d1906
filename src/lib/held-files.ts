import { closeSync, fstatSync, statSync } from "node:fs";
import { type FilePath, locationOf } from "./file-path.ts";
import { openPrivateSync, type PrivateAccess } from "./open-files.ts";

/** How many files stay open at once, however many members there are. */
const maxHeld = 64;

/** A file that stays open, as it was found right now. */
export interface HeldFile {
  readonly descriptor: number;
  readonly ino: bigint;
  readonly dev: bigint;
  size: number;
  /** The size after the last whole line that was appended here. */
  end?: number;
}

/**
 * Files that stay open from one write to the next: those that were used last. A file that was
 * deleted, replaced, or given a second name meanwhile is noticed.
 */
export class HeldFiles implements Disposable {
  /** The one that was used last comes last. */
  readonly #held = new Map<FilePath, HeldFile>();

  /** The file that `path` names now, opened as `openPrivateSync` does. */
  open(path: FilePath, access: PrivateAccess): HeldFile {
    const held = this.#held.get(path);
    if (held && isStillAt(path, held)) {
      // Deleting and adding it again makes it the last one.
      this.#held.delete(path);
      this.#held.set(path, held);
      return held;
    }
    this.close(path);
    const opened = openHeld(path, access);
    this.#held.set(path, opened);
    const [oldest] = this.#held.keys();
    if (this.#held.size > maxHeld && oldest !== undefined) this.close(oldest);
    return opened;
  }

  close(path: FilePath): void {
    const held = this.#held.get(path);
    this.#held.delete(path);
    if (held) closeSync(held.descriptor);
  }

  [Symbol.dispose](): void {
    for (const path of [...this.#held.keys()]) this.close(path);
  }
}

/** The open descriptor pins the inode, so its number cannot have been given to another file. */
function isStillAt(path: FilePath, held: HeldFile): boolean {
  const found = statSync(locationOf(path), { bigint: true, throwIfNoEntry: false });
  if (found?.ino !== held.ino || found.dev !== held.dev || found.nlink !== 1n) return false;
  held.size = Number(found.size);
  return true;
}

function openHeld(path: FilePath, access: PrivateAccess): HeldFile {
  const descriptor = openPrivateSync(path, access);
  try {
    const { ino, dev, size } = fstatSync(descriptor, { bigint: true });
    return { descriptor, ino, dev, size: Number(size) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
