import { existsSync, lstatSync, type Stats } from "node:fs";
import { hasErrno } from "../errors.ts";
import { requireOwnDirectory } from "./file-owner.ts";
import { type FilePath, type HeldPath, holdPath, locationOf, within } from "./file-path.ts";
import { readTextAtOnce } from "./files.ts";

/** The stats that distinguish one state of a file or directory from the next. */
type FileLook = Pick<Stats, "ino" | "size" | "mtimeMs" | "ctimeMs">;

/**
 * The stats of a record's copy and of the directory of its versions; undefined for a missing one.
 */
export interface RecordLook {
  copy: FileLook | undefined;
  versions: FileLook | undefined;
}

/** A record's copy, and the stats of its files. */
export interface RecordGlance {
  look: RecordLook;
  text: string;
}

export interface RecordDirectories {
  copies: FilePath;
  versions: FilePath;
}

/** The stats of record `id`. */
export function lookAtRecord({ copies, versions }: RecordDirectories, id: string): RecordLook {
  return {
    copy: lookOf(statsOf(within(copies, `${id}.json`))),
    versions: lookOf(statsOf(within(versions, id))),
  };
}

/** The two directories of records, held open for a reading of many of them. */
export class HeldRecords implements Disposable {
  readonly #copies: HeldPath | undefined;
  readonly #versions: HeldPath | undefined;

  constructor({ copies, versions }: RecordDirectories) {
    this.#copies = holdPath(copies);
    this.#versions = holdPath(versions);
  }

  look(id: string): RecordLook {
    return {
      copy: this.#copies && lookOf(statsOf(within(this.#copies.path, `${id}.json`))),
      versions: lookOf(this.#versionsOf(id)),
    };
  }

  /** Undefined if there is no copy. Throws as opening a file does: it may be anything. */
  glance(id: string): RecordGlance | undefined {
    const versions = this.#versionsOf(id);
    if (versions) requireOwnDirectory(versions, id);
    const copy = this.#copies && readTextAtOnce(within(this.#copies.path, `${id}.json`));
    return (
      copy && { look: { copy: lookOf(copy.stats), versions: lookOf(versions) }, text: copy.text }
    );
  }

  /** True if version `number` has been committed, and the next one has not. */
  isNewest(id: string, number: number): boolean {
    if (!this.#versions) return false;
    const directory = locationOf(within(this.#versions.path, id));
    return (
      existsSync(`${directory}/${number}.json`) && !existsSync(`${directory}/${number + 1}.json`)
    );
  }

  [Symbol.dispose](): void {
    this.#copies?.[Symbol.dispose]();
    this.#versions?.[Symbol.dispose]();
  }

  #versionsOf(id: string): Stats | undefined {
    return this.#versions && statsOf(within(this.#versions.path, id));
  }
}

/** Synchronous, because the thread pool costs more than the call itself. */
export function statsOf(path: FilePath): Stats | undefined {
  try {
    return lstatSync(locationOf(path), { throwIfNoEntry: false });
  } catch (error) {
    if (hasErrno(error, "ENOTDIR", "ELOOP")) return undefined;
    throw error;
  }
}

/** Without the other fields of a stat: there may be very many of them. */
function lookOf(stats: Stats | undefined): FileLook | undefined {
  if (!stats) return undefined;
  const { ino, size, mtimeMs, ctimeMs } = stats;
  return { ino, size, mtimeMs, ctimeMs };
}

export function isSameLook(a: RecordLook, b: RecordLook): boolean {
  return isSame(a.copy, b.copy) && isSame(a.versions, b.versions);
}

function isSame(a: FileLook | undefined, b: FileLook | undefined): boolean {
  if (!a || !b) return a === b;
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** False for a record that has just changed: it can change again with the same times. */
export function isSettled({ copy, versions }: RecordLook, now: Date): boolean {
  const settledMs = now.getTime() - settleMs;
  return [copy, versions].every((it) => !it || Math.max(it.mtimeMs, it.ctimeMs) <= settledMs);
}

/**
 * True if a writer may have died after its last change of the versions, or left a temporary file
 * there.
 */
export function isBehind({ copy, versions }: RecordLook): boolean {
  // The copy is written last. File systems with coarse times may give both the same one.
  return !copy || (versions !== undefined && versions.mtimeMs > copy.mtimeMs);
}

/** Longer than the time resolution of any file system. */
const settleMs = 3_000;

/** After this many records the event loop gets a turn. */
export const looksPerTurn = 256;
