import { z } from "zod";
import { hasErrno, reasonOf, TeamError } from "../errors.ts";
import { mapInBatches } from "../lib/batches.ts";
import { type FilePath, within } from "../lib/file-path.ts";
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
import { isSigned, type Signer, signRecord } from "../lib/signed-record.ts";
import { CronEntry, CronId } from "../protocol/cron.ts";
import { outside } from "../protocol/ids.ts";
import { type CronBook, oldestFirst } from "./cron-book.ts";

const StoredCron = CronEntry.extend({ sig: z.string().optional() });

export interface FileCronBookOptions {
  /** `crons` in the team directory. */
  directory: FilePath;
  signature: Signer;
  /** Called once for each file that cannot be read, is missing, or was not written by troupe. */
  onDamage(problem: string): void;
  /** Remembers which entries there are. */
  inventory?: Inventory | undefined;
  /** Throws when this process may no longer write. Needless for one that only looks. */
  check?: () => Promise<void>;
}

/** A book with a file for each entry, which any process may look at. */
export class FileCronBook implements CronBook {
  readonly #options: FileCronBookOptions;
  /** The last problem of each file, so that it is reported once and not at every reading. */
  readonly #reported = new Map<CronId, string>();
  #hasReportedCount = false;

  constructor(options: FileCronBookOptions) {
    this.#options = options;
  }

  /** Removes what a writer that died left behind. Only for the process that runs the team. */
  async repair(): Promise<void> {
    await removeTemporaries(this.#options.directory);
    const ids = await this.#ids();
    for (const id of this.#options.inventory?.names ?? []) {
      if (ids.some((it) => it === id)) continue;
      this.#options.onDamage(
        `${within(this.#options.directory, `${id}.json`)} is missing: it no longer runs`,
      );
      await this.#options.inventory?.remove(id);
    }
  }

  async put(entry: CronEntry): Promise<void> {
    await this.#options.check?.();
    const path = this.#path(entry.id);
    try {
      await ensurePrivateDirectory(this.#options.directory);
      await replaceFile(
        path,
        `${JSON.stringify(signRecord(entry, this.#options.signature), null, 2)}\n`,
      );
    } catch (error) {
      throw writeFailed(`${path} could not be written`, error);
    }
    await this.#options.inventory?.add(entry.id, "");
  }

  async list(): Promise<CronEntry[]> {
    const ids = await this.#ids();
    if (ids.length > maxRead) this.#reportTooMany(ids.length);
    const entries = await mapInBatches(ids.slice(0, maxRead), (id) => this.#read(id));
    return entries.flatMap((entry) => entry ?? []).sort(oldestFirst);
  }

  async remove(id: CronId): Promise<void> {
    await this.#options.check?.();
    const path = this.#path(id);
    await this.#options.inventory?.remove(id);
    try {
      await removeFile(path);
    } catch (error) {
      throw writeFailed(`${path} could not be removed`, error);
    }
  }

  async #ids(): Promise<CronId[]> {
    return (await listNames(this.#options.directory))
      .filter((name) => name.endsWith(".json"))
      .map((name) => name.slice(0, -".json".length))
      .filter(isCronId)
      .sort();
  }

  #reportTooMany(count: number): void {
    if (this.#hasReportedCount) return;
    this.#hasReportedCount = true;
    this.#options.onDamage(
      `${this.#options.directory} has ${count} files, of which ${maxRead} are read`,
    );
  }

  async #read(id: CronId): Promise<CronEntry | undefined> {
    const path = this.#path(id);
    try {
      const text = await readTextIfExists(path);
      if (text === undefined) return undefined;
      const { sig, ...entry } = parseJson(text, StoredCron, String(path));
      if (entry.id !== id)
        throw new TeamError("record-corrupt", `${path} has the id '${entry.id}'`);
      if (isSigned(entry, sig, this.#options.signature)) {
        this.#reported.delete(id);
        return entry;
      }
      // An entry that was written or edited by hand does not speak for troupe.
      if (sig !== undefined || entry.created_by !== outside) this.#reportEdit(id, path);
      return { ...entry, created_by: outside };
    } catch (error) {
      if (!(error instanceof TeamError) && !hasErrno(error, "EISDIR")) throw error;
      this.#report(id, error instanceof TeamError ? error.message : `${path} is a directory`);
      return undefined;
    }
  }

  #reportEdit(id: CronId, path: FilePath): void {
    if (this.#reported.size < maxReported) {
      this.#report(id, `${path} was not written by troupe: its prompt comes from outside`);
    }
  }

  #report(id: CronId, problem: string): void {
    if (this.#reported.get(id) === problem) return;
    this.#reported.set(id, problem);
    this.#options.onDamage(problem);
  }

  #path(id: CronId): FilePath {
    return within(this.#options.directory, `${id}.json`);
  }
}

/** Far more than may be scheduled: of so many the oldest are found. */
const maxRead = 1_000;

/** Further edited files are not reported: it would be too much to read. */
const maxReported = 20;

function isCronId(name: string): name is CronId {
  return CronId.safeParse(name).success;
}

function writeFailed(problem: string, cause: unknown): TeamError {
  const reason = reasonOf(cause);
  return new TeamError("write-failed", `${problem}: ${reason}`, {
    cause,
    hint: "Check that the disk has space and the directory is writable, then try again.",
  });
}
