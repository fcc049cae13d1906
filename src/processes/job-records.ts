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
import { parseJson } from "../lib/json.ts";
import { writeFailed } from "../lib/json-lines.ts";
import { isSigned, type Signer, signRecord } from "../lib/signed-record.ts";
import { JobRecord } from "../protocol/job.ts";

/**
 * The background jobs whose owners have not been told of their end yet.
 *
 * Every backend promises, and src/testing/conformance/job-records.ts checks, that:
 * - once `add` resolves, the record survives a crash; once `remove` does, it is gone for good;
 * - a record that is added again, or removed twice, changes nothing;
 * - `list` has the records of all members, oldest first.
 */
export interface JobRecords {
  add(record: JobRecord): Promise<void>;
  remove(id: string): Promise<void>;
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
  /** Told once of each file that cannot be read, or that troupe did not write. It is left alone, and the others count. */
  onDamage(problem: string): void;
  /** Throws when this process may no longer write the team's state. */
  check(): Promise<void>;
}

/** Job records as files: `<member>-<id>.json`, so that a person sees whose they are. */
export class FileJobRecords implements JobRecords {
  readonly #options: FileJobRecordsOptions;
  readonly #told = new Set<string>();
  /** The names of the files of each job that has been read or written. */
  readonly #names = new Map<string, string>();

  constructor(options: FileJobRecordsOptions) {
    this.#options = options;
  }

  /** Removes what a writer that died left behind. Only for the process that runs the team. */
  repair(): Promise<void> {
    return removeTemporaries(this.#options.directory);
  }

  async add(record: JobRecord): Promise<void> {
    const { directory, signature, check } = this.#options;
    await check();
    const path = within(directory, `${record.member}-${record.id}.json`);
    try {
      await ensurePrivateDirectory(directory);
      await replaceFile(path, `${JSON.stringify(signRecord(record, signature), null, 2)}\n`);
      this.#names.set(record.id, nameOf(path));
    } catch (error) {
      throw writeFailed(path, error);
    }
  }

  async remove(id: string): Promise<void> {
    await this.#options.check();
    // Without a look at all the others: at a start there may be many to remove.
    const known = this.#names.get(id);
    const names = known ? [known] : (await this.#list()).filter((it) => it.endsWith(`-${id}.json`));
    for (const name of names) await removeFile(within(this.#options.directory, name));
    this.#names.delete(id);
  }

  async list(): Promise<JobRecord[]> {
    const names = (await this.#list()).sort();
    if (names.length > maxListed && !this.#told.has("")) {
      const { directory, onDamage } = this.#options;
      this.#told.add("");
      onDamage(
        `${directory} has ${names.length} records, more than ${maxListed}: the others are seen to at the next starts`,
      );
    }
    const found = await mapInBatches(names.slice(0, maxListed), (name) => this.#read(name));
    return found.flatMap((record) => record ?? []).sort(oldestFirst);
  }

  async #list(): Promise<string[]> {
    const names = await listNames(this.#options.directory);
    return names.filter((name) => name.endsWith(".json"));
  }

  async #read(name: string): Promise<JobRecord | undefined> {
    const path = within(this.#options.directory, name);
    try {
      const text = await readTextIfExists(path);
      if (text === undefined) return undefined;
      const record = this.#parse(text, path);
      this.#names.set(record.id, name);
      return record;
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      if (!this.#told.has(name)) this.#options.onDamage(error.message);
      this.#told.add(name);
      return undefined;
    }
  }

  /** What troupe did not write must not be told in its name. */
  #parse(text: string, path: FilePath): JobRecord {
    const { sig, ...record } = parseJson(text, StoredJob, String(path));
    if (isSigned(record, sig, this.#options.signature)) return record;
    throw new TeamError("record-corrupt", `${path} is not what troupe wrote: delete it`);
  }
}

/** So many are listed at most: each is a message to its owner. */
const maxListed = 1_000;

const StoredJob = JobRecord.extend({ sig: z.string().optional() });

function oldestFirst(a: JobRecord, b: JobRecord): number {
  return a.started_at.localeCompare(b.started_at);
}
