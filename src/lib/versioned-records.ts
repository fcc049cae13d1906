import { type Stats, statSync } from "node:fs";
import type { z } from "zod";
import { hasErrno, TeamError } from "../errors.ts";
import { mapInBatches } from "./batches.ts";
import { type FilePath, locationOf, within } from "./file-path.ts";
import {
  createFileOnce,
  ensurePrivateDirectory,
  listNames,
  readTextIfExists,
  removeFile,
  removeTemporaries,
  replaceFile,
  setAside,
} from "./files.ts";
import { parseJson } from "./json.ts";

/** What every record has: its name in the directory, and a version that each change raises by one. */
interface Versioned {
  id: string;
  version: number;
}

export interface VersionedRecordsOptions<T extends Versioned> {
  directory: FilePath;
  schema: z.ZodType<T>;
  /** Told once of each problem with a file. What can still be read is used all the same. */
  onDamage(problem: string): void;
  now(): Date;
  /** True where an edit of the copy by hand counts; false where only what was committed does. */
  isEditable: boolean;
  /** So many of the newest versions are kept. Without it, all are. */
  keptVersions?: number | undefined;
  /** Throws when this process may no longer write. Needless for one that only looks. */
  check?: (() => Promise<void>) | undefined;
}

/**
 * Small records in one directory, changed by compare-and-set across any number of processes.
 *
 * The commit point is the file `.versions/<id>/<version>.json`: link(2) creates it, so only one of
 * several writers can make a version. Versions are the record's history, and a number that is taken
 * stops a writer that slept through any number of changes. Where old ones are dropped, such a writer
 * finds its number free, but a higher one beside it.
 *
 * `<id>.json` is a copy of the newest version for people. Where a writer died before it could bring
 * the copy up to date, readers find the newer version beside it. Where a person may edit the copy,
 * it is what counts at the newest version, or at a higher one.
 */
export class VersionedRecords<T extends Versioned> {
  readonly #directory: FilePath;
  readonly #versions: FilePath;
  readonly #schema: z.ZodType<T>;
  readonly #onDamage: (problem: string) => void;
  readonly #now: () => Date;
  readonly #isEditable: boolean;
  readonly #keptVersions: number | undefined;
  readonly #check: () => Promise<void>;
  /** The last problem of each file, so that it is told once and not at every reading. */
  readonly #told = new Map<string, string>();
  /** Each record as it was last read, and what its files looked like. */
  readonly #known = new Map<string, { seen: string; record: T | undefined }>();

  constructor(options: VersionedRecordsOptions<T>) {
    this.#directory = options.directory;
    this.#versions = within(options.directory, ".versions");
    this.#schema = options.schema;
    this.#onDamage = options.onDamage;
    this.#now = options.now;
    this.#isEditable = options.isEditable;
    this.#keptVersions = options.keptVersions;
    this.#check = options.check ?? (async () => undefined);
  }

  /** The names of all records there are or were, in no order. */
  async ids(): Promise<string[]> {
    const copied = await namesIn(this.#directory, /^([^.]+)\.json$/);
    const committed = await namesIn(this.#versions, /^([^.]+)$/);
    return [...new Set([...copied, ...committed])];
  }

  /** The newest version that can be read. What has not changed since is not read again. */
  async read(id: string): Promise<T | undefined> {
    // Who leads is read anew each time, whatever a file system says of it.
    if (!this.#isEditable) return this.#readAnew(id);
    const seen = this.#look(id);
    const known = this.#known.get(id);
    if (known && known.seen === seen) return known.record;
    const record = await this.#readAnew(id);
    if (seen === undefined) this.#known.delete(id);
    else this.#known.set(id, { seen, record });
    return record;
  }

  /** Tells one state of a record's files from the next; undefined while it cannot. */
  #look(id: string): string | undefined {
    const looks = [this.#copyPath(id), within(this.#versions, id)].map(lookAt);
    // What has just changed can change again and look the same.
    const settledMs = this.#now().getTime() - settleMs;
    if (looks.some((it) => it && Math.max(it.mtimeMs, it.ctimeMs) > settledMs)) return undefined;
    return looks.map((it) => (it ? `${it.ino} ${it.size} ${it.mtimeMs} ${it.ctimeMs}` : "")).join();
  }

  async #readAnew(id: string): Promise<T | undefined> {
    const numbers = await this.#numbers(id);
    const newest = numbers[0] ?? 0;
    const edit = this.#isEditable ? await this.#loadCopy(id, newest) : undefined;
    if (edit && edit.version >= newest) return edit;

    const record = (await this.#firstReadable(id, numbers)) ?? edit;
    // A number is taken even if nobody can read what it names: the next change goes above it.
    return record && { ...record, version: newest };
  }

  /**
   * Makes `record` the newest version. False when another writer has made that version first, or,
   * where old ones are dropped, a newer one. When it throws, the record is as it was, or as after a
   * crash: changed or not, never in part.
   */
  async commit(record: T): Promise<boolean> {
    const { id, version } = record;
    const path = this.#versionPath(id, version);
    const text = toText(record);
    // What cannot be read back must not become the newest version.
    parseJson(text, this.#schema, String(path));
    await this.#check();
    try {
      await ensurePrivateDirectory(this.#directory);
      await ensurePrivateDirectory(this.#versions);
      await ensurePrivateDirectory(within(this.#versions, id));
      if (!(await createFileOnce(path, text))) return false;
      if (this.#keptVersions !== undefined && !(await this.#isNewest(record))) return false;
    } catch (error) {
      throw new TeamError("write-failed", `${path} could not be written: ${reasonOf(error)}`, {
        cause: error,
        hint: "See that the disk has space and that the directory may be written, then try again.",
      });
    }
    if (this.#keptVersions !== undefined) await this.#dropOld(id, this.#keptVersions);
    await this.#copyOrTell(record);
    return true;
  }

  /**
   * Brings up to date what a writer that died left behind. Only for a process that knows that no
   * other one writes.
   */
  async repair(): Promise<void> {
    await removeTemporaries(this.#directory);
    await mapInBatches(await this.ids(), async (id) => {
      if (!this.#isBehind(id)) return;
      await removeTemporaries(within(this.#versions, id));
      const newest = await this.read(id);
      if (!newest) return;
      const copy = await this.#loadCopy(id, newest.version);
      if (copy?.version !== newest.version) await this.#copyOrTell(newest);
    });
  }

  /** Two looks a record, so that a long history costs a start little. */
  #isBehind(id: string): boolean {
    const versions = lookAt(within(this.#versions, id))?.mtimeMs;
    const copy = lookAt(this.#copyPath(id))?.mtimeMs;
    // The copy is written last: what is older than its versions was never finished.
    return copy === undefined || (versions !== undefined && versions >= copy);
  }

  /** False for a number that was free only because it had been dropped: higher ones are there. */
  async #isNewest({ id, version }: T): Promise<boolean> {
    return (await this.#numbers(id))[0] === version;
  }

  async #dropOld(id: string, kept: number): Promise<void> {
    try {
      for (const number of (await this.#numbers(id)).slice(kept)) {
        await removeFile(this.#versionPath(id, number));
      }
    } catch (error) {
      this.#tell(this.#versions, `Old versions could not be removed: ${reasonOf(error)}`);
    }
  }

  /** The change is committed by now: a copy that cannot be written is a problem, not a failure. */
  async #copyOrTell(record: T): Promise<void> {
    const path = this.#copyPath(record.id);
    try {
      await this.#copy(record);
    } catch (error) {
      this.#tell(path, `${path} could not be brought up to date: ${reasonOf(error)}`);
    }
  }

  async #copy(record: T): Promise<void> {
    const { id, version } = record;
    const path = this.#copyPath(id);
    // What a person edited into nonsense is theirs: it is moved, not overwritten. Nonsense is what
    // it was before this version.
    if (!(await this.#loadCopy(id, version - 1))) await setAside(path, "damaged", this.#now());
    await replaceFile(path, toText(record));
    // A later version's writer may have copied already, and this older one has just replaced it.
    const newest = await this.read(id);
    if (newest && newest.version > version) await this.#copy(newest);
  }

  /** The numbers of the versions of `id`, newest first. */
  async #numbers(id: string): Promise<number[]> {
    // Most of what somebody put there by hand has no versions, and to look is cheaper than to list.
    if (!lookAt(within(this.#versions, id))) return [];
    const names = await namesIn(within(this.#versions, id), /^(\d{1,15})\.json$/);
    return names.map(Number).sort((a, b) => b - a);
  }

  async #firstReadable(id: string, numbers: readonly number[]): Promise<T | undefined> {
    for (const number of numbers) {
      const record = await this.#load(id, this.#versionPath(id, number));
      if (record) return record;
      const copy = await this.#loadCopy(id, numbers[0]);
      if (copy?.version === number) return copy;
    }
    return undefined;
  }

  /** The copy. One far above `newest` is damage: above it there may be no room for a change. */
  async #loadCopy(id: string, newest = 0): Promise<T | undefined> {
    return this.#load(id, this.#copyPath(id), newest + maxLeap);
  }

  async #load(id: string, path: FilePath, highest = Infinity): Promise<T | undefined> {
    try {
      const text = await readTextIfExists(path);
      if (text === undefined) return undefined;
      const record = parseJson(text, this.#schema, String(path));
      if (record.id !== id) throw new TeamError("record-corrupt", `${path} is of '${record.id}'`);
      if (record.version > highest) throw versionTooHigh(path, record.version);
      this.#told.delete(String(path));
      return record;
    } catch (error) {
      if (!(error instanceof TeamError) && !hasErrno(error, "EISDIR")) throw error;
      this.#tell(path, error instanceof TeamError ? error.message : `${path} is a directory`);
      return undefined;
    }
  }

  #tell(file: FilePath, problem: string): void {
    const path = String(file);
    if (this.#told.get(path) === problem) return;
    this.#told.set(path, problem);
    this.#onDamage(problem);
  }

  #copyPath(id: string): FilePath {
    return within(this.#directory, `${id}.json`);
  }

  #versionPath(id: string, version: number): FilePath {
    return within(this.#versions, id, `${version}.json`);
  }
}

/** Longer than the times of any file system are apart. */
const settleMs = 3_000;

/** Synchronous, because the way through the thread pool costs more than the look itself. */
function lookAt(path: FilePath): Stats | undefined {
  try {
    return statSync(locationOf(path), { throwIfNoEntry: false });
  } catch (error) {
    if (hasErrno(error, "ENOTDIR", "ELOOP")) return undefined;
    throw error;
  }
}

/** So far may somebody who edits a copy go beyond the newest version. */
const maxLeap = 1_000_000;

function versionTooHigh(path: FilePath, version: number): TeamError {
  return new TeamError("record-corrupt", `${path}, at version: ${version} is far too high`);
}

function toText(record: object): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The first group of `pattern` in each name of `directory` that matches it. */
async function namesIn(directory: FilePath, pattern: RegExp): Promise<string[]> {
  return (await listNames(directory)).flatMap((name) => pattern.exec(name)?.[1] ?? []);
}
