import { z } from "zod";
import { TeamError } from "../errors.ts";
import { mapInBatches } from "../lib/batches.ts";
import { type FilePath, nameOf, within } from "../lib/file-path.ts";
import {
  ensurePrivateDirectory,
  listNames,
  readTextIfExists,
  removeFile,
  removeTemporaries,
  replaceFile,
} from "../lib/files.ts";
import type { Inventory } from "../lib/inventory.ts";
import { parseJson } from "../lib/json.ts";
import { writeFailed } from "../lib/json-lines.ts";
import { isSigned, type Signer, signRecord } from "../lib/signed-record.ts";
import { JobRecord } from "../protocol/job.ts";

/**
 * The background jobs whose owners do not know of their end yet.
 *
 * Every backend promises, and src/testing/conformance/job-records.ts checks, that:
 * - once `add` resolves, the record survives a crash; once `remove` does, it is gone for good;
 * - a record that is added again, or removed twice, changes nothing;
 * - `list` has the records of all members, oldest first.
 */
export interface JobRecords {
  /** Keeps a record of a job that was started. */
  add(record: JobRecord): Promise<void>;
  /** Removes the record of the job with this id. */
  remove(id: string): Promise<void>;
  /** All records that are kept. */
  list(): Promise<JobRecord[]>;
}

/** Job records for tests and single-process teams. Keeps every promise except surviving a crash. */
export class MemoryJobRecords implements JobRecords {
  readonly #records = new Map<string, JobRecord>();

  async add(record: JobRecord): Promise<void> {
    this.#records.set(record.id, { ...record });
  }

  async remove(id: string): Promise<void> {
    this.#records.delete(id);
  }

  async list(): Promise<JobRecord[]> {
    return structuredClone([...this.#records.values()]).sort(oldestFirst);
  }
}

export interface FileJobRecordsOptions {
  /** `background` in the team directory. */
  directory: FilePath;
  signature: Signer;
  /** Called once for each file that cannot be read, that is missing, or that troupe did not write. */
  onDamage(problem: string): void;
  /** Has a copy of each record, which counts if its file is missing or damaged. */
  inventory?: Inventory | undefined;
  /** Throws when this process may no longer write the team's state. */
  check(): Promise<void>;
}

/** Job records as files: `<member>-<id>.json`, so that a person sees their owners. */
export class FileJobRecords implements JobRecords {
  readonly #options: FileJobRecordsOptions;
  readonly #reported = new Set<string>();
  /** The names of the files of each job that has been read or written. */
  readonly #names = new Map<string, string>();

  constructor(options: FileJobRecordsOptions) {
    this.#options = options;
  }

  /** Removes temporary files of a writer that died. Only for the process that runs the team. */
  repair(): Promise<void> {
    return removeTemporaries(this.#options.directory);
  }

  async add(record: JobRecord): Promise<void> {
    const { directory, signature, check } = this.#options;
    await check();
    const name = `${record.member}-${record.id}.json`;
    const path = within(directory, name);
    const text = `${JSON.stringify(signRecord(record, signature), null, 2)}\n`;
    try {
      await ensurePrivateDirectory(directory);
      await replaceFile(path, text);
      this.#names.set(record.id, name);
    } catch (error) {
      throw writeFailed(path, error);
    }
    await this.#options.inventory?.add(name, text);
  }

  async remove(id: string): Promise<void> {
    await this.#options.check();
    // Without listing all the others: at a start there may be many to remove.
    const known = this.#names.get(id);
    const names = known ? [known] : (await this.#list()).filter((it) => it.endsWith(`-${id}.json`));
    for (const name of names) {
      await this.#options.inventory?.remove(name);
      await removeFile(within(this.#options.directory, name));
    }
    this.#names.delete(id);
  }

  async list(): Promise<JobRecord[]> {
    const names = (await this.#list()).sort();
    if (names.length > maxListed && !this.#reported.has("")) {
      const { directory, onDamage } = this.#options;
      this.#reported.add("");
      onDamage(
        `${directory} has ${names.length} records, more than ${maxListed}: the rest are handled at the next starts`,
      );
    }
    const found = await mapInBatches(names.slice(0, maxListed), (name) => this.#read(name));
    return found.flatMap((record) => record ?? []).sort(oldestFirst);
  }

  async #list(): Promise<string[]> {
    const names = await listNames(this.#options.directory);
    const kept = this.#options.inventory?.names ?? [];
    return [...new Set([...names, ...kept])].filter((name) => name.endsWith(".json"));
  }

  async #read(name: string): Promise<JobRecord | undefined> {
    const path = within(this.#options.directory, name);
    try {
      const text = await readTextIfExists(path);
      if (text !== undefined) return this.#parse(text, path);
      if (this.#options.inventory?.get(name)) this.#report(name, `${path} is missing`);
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      this.#report(name, error.message);
    }
    return this.#readCopy(name, path);
  }

  #readCopy(name: string, path: FilePath): JobRecord | undefined {
    const text = this.#options.inventory?.get(name);
    if (text === undefined) return undefined;
    try {
      return this.#parse(text, path);
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      return undefined;
    }
  }

  #report(name: string, problem: string): void {
    if (!this.#reported.has(name)) this.#options.onDamage(problem);
    this.#reported.add(name);
  }

  /** A record that troupe did not write must not be reported in its name. */
  #parse(text: string, path: FilePath): JobRecord {
    const { sig, ...record } = parseJson(text, StoredJob, String(path));
    if (isSigned(record, sig, this.#options.signature)) {
      this.#names.set(record.id, nameOf(path));
      return record;
    }
    throw new TeamError("record-corrupt", `${path} was not written by troupe: delete it`);
  }
}

/** How many are listed at most: each is a message to its owner. */
const maxListed = 1_000;

const StoredJob = JobRecord.extend({ sig: z.string().optional() });

function oldestFirst(a: JobRecord, b: JobRecord): number {
  return a.started_at.localeCompare(b.started_at);
}
