import { setImmediate } from "node:timers/promises";
import type { z } from "zod";
import { hasErrno, reasonOf, TeamError } from "../errors.ts";
import { mapInBatches } from "./batches.ts";
import { type FilePath, within } from "./file-path.ts";
import {
  createFileOnce,
  ensurePrivateDirectory,
  listNames,
  moveAside,
  readTextIfExists,
  removeFile,
  removeTemporaries,
  replaceFile,
} from "./files.ts";
import { parseJson } from "./json.ts";
import { RecordChanges } from "./record-changes.ts";
import {
  idsOfCopies,
  idsOfVersions,
  maxLeap,
  numbersIn,
  recordText,
  requireRecord,
  type Versioned,
} from "./record-files.ts";
import {
  HeldRecords,
  isBehind,
  isSameLook,
  isSettled,
  lookAtRecord,
  looksPerTurn,
  type RecordLook,
  statsOf,
} from "./record-look.ts";

import type { RecordStore } from "./record-store.ts";
import type { DirectoryChanges } from "./wake-source.ts";

export interface VersionedRecordsOptions<T extends Versioned> {
  directory: FilePath;
  /** Asked for once, when there is a record: most starts have none of most kinds. */
  schema(): z.ZodType<T>;
  /** Called once for each problem with a file. Readable files are used all the same. */
  onDamage(problem: string): void;
  now(): Date;
  /** True if an edit of the copy by hand counts; false if only committed versions do. */
  isEditable: boolean;
  /** How many of the newest versions are kept (default: all). */
  keptVersions?: number | undefined;
  /** Reports changes of the directory. Without it, only changes made through this object are seen. */
  watch?: DirectoryChanges | undefined;
  /** Throws when this process may no longer write. Not needed by a process that only reads. */
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
export class VersionedRecords<T extends Versioned> implements RecordStore<T> {
  readonly #options: VersionedRecordsOptions<T>;
  readonly #versions: FilePath;
  /** The last problem of each file, so that it is reported once and not at every reading. */
  readonly #told = new Map<string, string>();
  /**
   * Records whose copy was found to be older than a version: for them, the copy alone is not
   * enough.
   */
  readonly #outdated = new Set<string>();
  /** Each record as it was last read, and the stats of its files. */
  readonly #known = new Map<string, { look: RecordLook; record: T | undefined }>();
  #madeSchema: z.ZodType<T> | undefined;

  constructor(options: VersionedRecordsOptions<T>) {
    this.#options = options;
    this.#versions = within(options.directory, ".versions");
  }

  /** The names of all records there are or were, in no order. */
  async ids(): Promise<string[]> {
    const copied = idsOfCopies(await listNames(this.#options.directory));
    return [...new Set([...copied, ...idsOfVersions(await listNames(this.#versions))])];
  }

  /** The newest version that can be read. Unchanged records are not read again. */
  async read(id: string): Promise<T | undefined> {
    // The lead's record is read each time, even where its files look unchanged.
    if (!this.#options.isEditable) return this.#readAnew(id);
    const look = lookAtRecord({ copies: this.#options.directory, versions: this.#versions }, id);
    const known = this.#known.get(id);
    if (known && isSameLook(known.look, look)) return known.record;
    const record = await this.#readAnew(id);
    this.#keep(id, look, record);
    return record;
  }

  /** Like `read`, for each of `ids` that exists, in their order. */
  async readAll(ids: readonly string[]): Promise<T[]> {
    const found = new Map<string, T | undefined>();
    const odd: string[] = [];
    await this.#glanceAtAll(ids, (held, id) => {
      const known = this.#known.get(id);
      const isKnown = known && isSameLook(known.look, held.look(id));
      const record = isKnown ? known.record : this.#glance(held, id)?.record;
      if (isKnown || record) found.set(id, record);
      else odd.push(id);
    });
    await mapInBatches(odd, async (id) => found.set(id, await this.read(id)));
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  /** Gives the event loop a turn after some: there may be very many records. */
  async #glanceAtAll(
    ids: readonly string[],
    look: (held: HeldRecords, id: string) => void,
  ): Promise<void> {
    using held = new HeldRecords({ copies: this.#options.directory, versions: this.#versions });
    for (const [index, id] of ids.entries()) {
      look(held, id);
      if (index % looksPerTurn === looksPerTurn - 1) await setImmediate();
    }
  }

  /**
   * The record, if its copy is valid and no version follows it; undefined if the versions must be
   * read. Numbers are consecutive, unless a person has raised one by hand: `commit` finds that.
   */
  #glance(held: HeldRecords, id: string): { record: T; look: RecordLook } | undefined {
    if (!this.#options.isEditable || this.#outdated.has(id)) return undefined;
    try {
      const glance = held.glance(id);
      if (!glance) return undefined;
      const { look, text } = glance;
      const record = this.#parse(id, text, this.#copyPath(id), look.versions ? Infinity : maxLeap);
      const isNewest = !look.versions || held.isNewest(id, record.version);
      if (!isNewest) return undefined;
      this.#keep(id, look, record);
      return { record, look };
    } catch (error) {
      if (error instanceof TeamError || hasErrno(error, "EISDIR", "ENOTDIR")) return undefined;
      throw error;
    }
  }

  #keep(id: string, look: RecordLook, record: T | undefined): void {
    if (isSettled(look, this.#options.now())) this.#known.set(id, { look, record });
    else this.#known.delete(id);
  }

  async #readAnew(id: string): Promise<T | undefined> {
    const numbers = await this.#numbers(id);
    const newest = numbers[0] ?? 0;
    const edit = this.#options.isEditable ? await this.#loadCopy(id, newest) : undefined;
    if (edit && edit.version >= newest) return edit;

    const record = (await this.#firstReadable(id, numbers)) ?? edit;
    // A number is taken even if its file cannot be read: the next change goes above it.
    return record && { ...record, version: newest };
  }

  /**
   * Makes `record` the newest version. False if another writer has made that version first, or,
   * where old ones are dropped, a newer one. When it throws, the record is unchanged, or as after a
   * crash: changed or not, never in part.
   */
  async commit(record: T): Promise<boolean> {
    const { id, version } = record;
    const path = this.#versionPath(id, version);
    const text = recordText(record);
    // A record that cannot be read back must not become the newest version.
    parseJson(text, this.#schema, String(path));
    await this.#options.check?.();
    try {
      await ensurePrivateDirectory(this.#options.directory);
      await ensurePrivateDirectory(this.#versions);
      await ensurePrivateDirectory(within(this.#versions, id));
      if (await this.#isOutdated(record)) return false;
      if (!(await createFileOnce(path, text))) return false;
      if (this.#options.keptVersions !== undefined && !(await this.#isNewest(record))) return false;
    } catch (error) {
      throw new TeamError("write-failed", `${path} could not be written: ${reasonOf(error)}`, {
        cause: error,
        hint: "Check that the disk has space and the directory is writable, then try again.",
      });
    }
    const { keptVersions } = this.#options;
    if (keptVersions !== undefined) await this.#dropOld(id, keptVersions);
    await this.#copyOrTell(record);
    return true;
  }

  /**
   * Completes the unfinished changes of a writer that died. Only for a process that knows that no
   * other one writes.
   */
  async repair(): Promise<void> {
    await removeTemporaries(this.#options.directory);
    const odd: string[] = [];
    await this.#glanceAtAll(await this.ids(), (held, id) => {
      const glanced = this.#glance(held, id);
      if (!glanced || isBehind(glanced.look)) odd.push(id);
    });
    await mapInBatches(odd, (id) => this.#repairOne(id));
  }

  changes(read: (id: string) => Promise<T | undefined>): RecordChanges<T> {
    const { directory, watch, onDamage } = this.#options;
    return new RecordChanges({ directory, watch, onDamage, read });
  }

  async #repairOne(id: string): Promise<void> {
    await removeTemporaries(within(this.#versions, id));
    const newest = await this.read(id);
    if (!newest) return;
    const copy = await this.#loadCopy(id, newest.version);
    if (copy?.version !== newest.version) await this.#copyOrTell(newest);
  }

  /**
   * True if this version, or a higher one, exists already: a person can have raised a number by
   * hand, and left those below it free for an older copy.
   */
  async #isOutdated({ id, version }: T): Promise<boolean> {
    const [newest = 0] = await this.#numbers(id);
    if (newest < version) return false;
    this.#known.delete(id);
    this.#outdated.add(id);
    return true;
  }

  /**
   * False for a number that was free only because its version had been dropped: higher ones exist.
   */
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
    // An invalid edit of the copy is moved, not overwritten. It was invalid before this version.
    if (!(await this.#loadCopy(id, version - 1)))
      await moveAside(path, "damaged", this.#options.now());
    await replaceFile(path, recordText(record));
    // A later version's writer may have copied already, and this older one has just replaced it.
    const newest = await this.read(id);
    if (newest && newest.version > version) await this.#copy(newest);
  }

  /** The numbers of the versions of `id`, newest first. */
  async #numbers(id: string): Promise<number[]> {
    // Most files that were written by hand have no versions, and to look is cheaper than to list.
    if (!statsOf(within(this.#versions, id))) return [];
    return numbersIn(await listNames(within(this.#versions, id))).sort((a, b) => b - a);
  }

  async #firstReadable(id: string, numbers: readonly number[]): Promise<T | undefined> {
    for (const number of numbers.slice(0, maxTried)) {
      const record = await this.#load(id, this.#versionPath(id, number));
      if (record) return record;
      const copy = await this.#loadCopy(id, numbers[0]);
      if (copy?.version === number) return copy;
    }
    return undefined;
  }

  /**
   * The copy. One far above `newest` counts as damaged: above it there may be no room for a change.
   */
  async #loadCopy(id: string, newest = 0): Promise<T | undefined> {
    return this.#load(id, this.#copyPath(id), newest + maxLeap);
  }

  async #load(id: string, path: FilePath, highest = Infinity): Promise<T | undefined> {
    try {
      const text = await readTextIfExists(path);
      if (text === undefined) return undefined;
      return this.#parse(id, text, path, highest);
    } catch (error) {
      if (!(error instanceof TeamError) && !hasErrno(error, "EISDIR")) throw error;
      this.#tell(path, error instanceof TeamError ? error.message : `${path} is a directory`);
      return undefined;
    }
  }

  #parse(id: string, text: string, path: FilePath, highest: number): T {
    const shown = String(path);
    const record = parseJson(text, this.#schema, shown);
    requireRecord(record, { id, highest, path: shown });
    this.#told.delete(shown);
    return record;
  }

  get #schema(): z.ZodType<T> {
    this.#madeSchema ??= this.#options.schema();
    return this.#madeSchema;
  }

  #tell(file: FilePath, problem: string): void {
    const path = String(file);
    if (this.#told.get(path) === problem) return;
    this.#told.set(path, problem);
    this.#options.onDamage(problem);
  }

  #copyPath(id: string): FilePath {
    return within(this.#options.directory, `${id}.json`);
  }

  #versionPath(id: string, version: number): FilePath {
    return within(this.#versions, id, `${version}.json`);
  }
}

/** How many versions are tried if the newest ones cannot be read. */
const maxTried = 100;
