import { TeamError } from "../errors.ts";
import { withSum } from "../lib/checksum.ts";
import { type FilePath, within } from "../lib/file-path.ts";
import { readTextIfExists, removeTemporaries, replaceFile } from "../lib/files.ts";
import { parseJson } from "../lib/json.ts";
import { VersionedRecords } from "../lib/versioned-records.ts";
import { Heartbeat, type LeadRecord, StoredLeadRecord } from "./lead-record.ts";

export interface FenceFilesOptions {
  directory: FilePath;
  /** Called with the problem of a file that cannot be read. */
  onDamage(problem: string): void;
  now(): Date;
  isInPlace?: (() => boolean) | undefined;
}

/** The fence on disk: `lead.json` says who holds it, `heartbeat` that this one is alive. */
export class FenceFiles {
  readonly #directory: FilePath;
  readonly #records: VersionedRecords<LeadRecord>;
  readonly #heartbeatPath: FilePath;
  readonly #onDamage: (problem: string) => void;
  readonly #isInPlace: () => boolean;

  constructor({ directory, onDamage, now, isInPlace }: FenceFilesOptions) {
    this.#directory = directory;
    this.#records = new VersionedRecords({
      directory,
      schema: () => StoredLeadRecord,
      onDamage,
      now,
      // An edit must not decide who leads: it would make a second lead.
      isEditable: false,
      keptVersions,
    });
    this.#heartbeatPath = within(directory, "heartbeat");
    this.#onDamage = onDamage;
    this.#isInPlace = isInPlace ?? (() => true);
  }

  /** Undefined if the directory was moved away: another team may be in its place. */
  async lead(): Promise<LeadRecord | undefined> {
    if (!this.#isInPlace()) return undefined;
    return this.#records.read("lead");
  }

  /** False when another process has made that version first. */
  async commit(record: LeadRecord): Promise<boolean> {
    return this.#records.commit(withSum(record));
  }

  /** The latest heartbeat of the holder with `epoch`; one of another epoch is ignored. */
  async heartbeat(epoch: number): Promise<Heartbeat | undefined> {
    const text = await readTextIfExists(this.#heartbeatPath);
    if (text === undefined) return undefined;
    try {
      const heartbeat = parseJson(text, Heartbeat, String(this.#heartbeatPath));
      return heartbeat.epoch === epoch ? heartbeat : undefined;
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      this.#onDamage(error.message);
      return undefined;
    }
  }

  async writeHeartbeat(heartbeat: Heartbeat): Promise<void> {
    await replaceFile(this.#heartbeatPath, `${JSON.stringify(heartbeat)}\n`);
  }

  /**
   * Removes temporary files of dead processes, but not those that a living contender needs for a
   * moment.
   */
  async removeLeftovers(now: Date): Promise<void> {
    const before = new Date(now.getTime() - leftoverAgeMs);
    try {
      await removeTemporaries(this.#directory, before);
      await removeTemporaries(within(this.#directory, ".versions", "lead"), before);
    } catch (error) {
      this.#onDamage(`Leftover files in ${this.#directory} cannot be removed: ${String(error)}`);
    }
  }
}

/** Each start makes two versions. */
const keptVersions = 100;
const leftoverAgeMs = 3_600_000;
