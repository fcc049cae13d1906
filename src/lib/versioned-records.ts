import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { hasErrno, TeamError } from "../errors.ts";
import {
  createFileOnce,
  ensurePrivateDirectory,
  readTextIfExists,
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
  directory: string;
  schema: z.ZodType<T>;
  /** Told of a record that cannot be read. An older version of it is used where there is one. */
  onDamage(problem: string): void;
  now(): Date;
}

/**
 * Small records in one directory, changed by compare-and-set across any number of processes.
 *
 * `<id>.json` is what a person reads. The commit point is the file `.versions/<id>.<version>.json`:
 * it is created with link(2), so only one of several writers can make a version, and a writer that
 * dies before it has replaced `<id>.json` has committed all the same: readers look for a newer
 * version beside it.
 */
export class VersionedRecords<T extends Versioned> {
  readonly #directory: string;
  readonly #versions: string;
  readonly #schema: z.ZodType<T>;
  readonly #onDamage: (problem: string) => void;
  readonly #now: () => Date;

  constructor({ directory, schema, onDamage, now }: VersionedRecordsOptions<T>) {
    this.#directory = directory;
    this.#versions = join(directory, ".versions");
    this.#schema = schema;
    this.#onDamage = onDamage;
    this.#now = now;
  }

  /** The names of all records, in no order. */
  async ids(): Promise<string[]> {
    const published = await listNames(this.#directory, /^([^.]+)\.json$/);
    const committed = await listNames(this.#versions, /^([^.]+)\.\d+\.json$/);
    return [...new Set([...published, ...committed])];
  }

  async read(id: string): Promise<T | undefined> {
    let newest = (await this.#published(id)) ?? (await this.#newestVersion(id));
    while (newest) {
      const next = await this.#load(this.#versionPath(id, newest.version + 1));
      if (!next) break;
      newest = next;
    }
    return newest;
  }

  /** Makes `record` the current version. False when another writer has made that version first. */
  async commit(record: T): Promise<boolean> {
    const { id, version } = record;
    const text = `${JSON.stringify(record, null, 2)}\n`;
    const versionPath = this.#versionPath(id, version);
    await ensurePrivateDirectory(this.#versions);
    if (!(await createFileOnce(versionPath, text))) return false;

    const published = await this.#published(id);
    if (published && published.version > version) {
      // A writer that slept through `keptVersions` changes finds its number free again.
      await rm(versionPath, { force: true });
      return false;
    }
    if (!published) await this.#keepUnreadable(id);
    await replaceFile(this.#path(id), text);
    await rm(this.#versionPath(id, version - keptVersions), { force: true });
    return true;
  }

  /** What a person edited into nonsense is theirs: it is moved, not overwritten. */
  async #keepUnreadable(id: string): Promise<void> {
    try {
      await setAside(this.#path(id), "damaged", this.#now());
    } catch (error) {
      if (!hasErrno(error, "ENOENT")) throw error;
    }
  }

  async #published(id: string): Promise<T | undefined> {
    return this.#load(this.#path(id));
  }

  async #newestVersion(id: string): Promise<T | undefined> {
    const pattern = new RegExp(`^${id}\\.(\\d+)\\.json$`);
    const versions = (await listNames(this.#versions, pattern)).map(Number);
    for (const version of versions.sort((a, b) => b - a)) {
      const record = await this.#load(this.#versionPath(id, version));
      if (record) return record;
    }
    return undefined;
  }

  async #load(path: string): Promise<T | undefined> {
    const text = await readTextIfExists(path);
    if (text === undefined) return undefined;
    try {
      return parseJson(text, this.#schema, path);
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      this.#onDamage(error.message);
      return undefined;
    }
  }

  #path(id: string): string {
    return join(this.#directory, `${id}.json`);
  }

  #versionPath(id: string, version: number): string {
    return join(this.#versions, `${id}.${version}.json`);
  }
}

/** How many versions of a record stay beside the current one, as its history. */
const keptVersions = 32;

/** The first group of `pattern` in each name of `directory` that matches it. */
async function listNames(directory: string, pattern: RegExp): Promise<string[]> {
  try {
    return (await readdir(directory)).flatMap((name) => pattern.exec(name)?.[1] ?? []);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return [];
    throw error;
  }
}
