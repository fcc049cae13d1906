import { lstatSync } from "node:fs";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import { hashOf, openIfThere, readContent } from "../lib/content-file.ts";
import { atSync, type FilePath, within } from "../lib/file-path.ts";
import {
  createFileOnce,
  ensurePrivateDirectory,
  listEntries,
  removeFile,
  replaceFile,
} from "../lib/files.ts";
import { appendLines, parseLine, repairTail, toLines } from "../lib/json-lines.ts";
import { LineReader } from "../lib/line-reader.ts";
import { OwnDirectory } from "../lib/own-directory.ts";
import { Serial } from "../lib/serial.ts";
import { isSigned, type Signer, signRecord } from "../lib/signed-record.ts";
import { DroppedChanges, FileChangeRecord } from "../protocol/file-change.ts";
import {
  type ChangeHistory,
  changesSince,
  findNewest,
  findRecent,
  type HistoryLimits,
  type KnownChanges,
  latestOf,
  type NotedChange,
  standardLimits,
} from "./change-history.ts";
import { maxWholeBytes } from "./regular-file.ts";

export interface FileChangeHistoryOptions {
  /** Belongs to the history alone, such as `.team/checkpoints`. */
  directory: string;
  signer: Signer;
  clock: Clock;
  onWarning(message: string): void;
  /** How much is kept (default: 2,000 changes and 256 MiB). */
  limits?: HistoryLimits;
}

/**
 * The changes of files in a directory: a signed log of the changes, and each content once, in a file
 * that is named after its hash.
 */
export class FileChangeHistory implements ChangeHistory {
  readonly #options: FileChangeHistoryOptions;
  readonly #serial = new Serial();
  #isReady = false;
  /** How many changes there were since the oldest were dropped; unknown at first. */
  #sincePruned = Number.POSITIVE_INFINITY;
  /** The size of all contents that are kept. */
  #bytes = 0;

  constructor(options: FileChangeHistoryOptions) {
    this.#options = options;
  }

  async since(date: Date): Promise<KnownChanges> {
    const { directory } = this.#options;
    using held = openIfThere(directory);
    return changesSince(date, held ? await this.#read(held.to()) : nothing);
  }

  /** Undefined for a content that was changed, too. */
  async content(hash: string): Promise<Buffer | undefined> {
    return readContent(this.#options.directory, hash, maxWholeBytes);
  }

  async keep({ member, root, path, before, after, ...given }: NotedChange): Promise<void> {
    const { directory, signer, clock } = this.#options;
    const { isSecret, makesRoom } = given;
    await this.#serial.run(async () => {
      await ensurePrivateDirectory(directory);
      using held = OwnDirectory.open(directory);
      await this.#prepare(held.to());
      const size = before && !isSecret ? before.length : 0;
      if (makesRoom && this.#isFull(size)) await this.#makeRoom(held.to(), size);
      const kept = !isSecret && (makesRoom || this.#bytes + size <= this.#limits.bytes);
      const hash = before ? hashOf(before) : null;
      if (before && hash && kept && (await createFileOnce(held.to(hash), before)))
        this.#bytes += before.length;
      const at = clock.now().toISOString();
      const hashes = { before: hash, after: after ? hashOf(after) : null };
      const record = { at, member, root, path, ...hashes, kept };
      appendLines(held.to(logName), toLines([signRecord(record, signer)]));
      this.#sincePruned += 1;
    });
  }

  get #limits(): HistoryLimits {
    return this.#options.limits ?? standardLimits;
  }

  #isFull(coming: number): boolean {
    const { changes, bytes } = this.#limits;
    return this.#sincePruned * 4 >= changes || this.#bytes + coming > bytes;
  }

  /** Before the first change of this process. */
  async #prepare(directory: FilePath): Promise<void> {
    if (this.#isReady) return;
    const { onWarning } = this.#options;
    await repairTail(
      within(directory, logName),
      () => LogLine,
      ({ reason }) => onWarning(reason),
    );
    const { changes } = await this.#read(directory);
    const limits = { changes: changes.length, bytes: Number.POSITIVE_INFINITY };
    this.#bytes = findNewest(changes, { limits, coming: 0, sizeOf: sizesIn(directory) }).bytes;
    this.#isReady = true;
  }

  /** Bounds what is kept: at the first change, now and then, and before it would be too large. */
  async #makeRoom(directory: FilePath, coming: number): Promise<void> {
    const { signer } = this.#options;
    this.#sincePruned = 0;
    const { changes, droppedUntil } = await this.#read(directory);
    const sizeOf = sizesIn(directory);
    const { recent, bytes } = findRecent(changes, { limits: this.#limits, coming, sizeOf });
    const dropped = changes.slice(0, changes.length - recent.length).map(({ at }) => at);
    const dropped_until = latestOf([...dropped, ...(droppedUntil ? [droppedUntil] : [])]);
    if (dropped.length > 0 && dropped_until) {
      const lines = toLines([signRecord({ dropped_until }, signer), ...recent]);
      await replaceFile(within(directory, logName), lines);
    }
    const named = new Set(recent.map(({ before }) => before));
    for (const { name } of await listEntries(directory)) {
      if (/^[0-9a-f]{64}$/.test(name) && !named.has(name))
        await removeFile(within(directory, name));
    }
    this.#bytes = bytes;
  }

  async #read(directory: FilePath): Promise<HistoryLog> {
    const { signer, onWarning } = this.#options;
    const log: HistoryLog = { ...nothing, changes: [] };
    await using reader = await LineReader.open(within(directory, logName));
    for await (const text of reader?.forwards() ?? []) {
      const line = parseLine(text, LogLine, ({ reason }) => onWarning(reason));
      if (!line) continue;
      const { sig, ...signed } = line;
      if (!isSigned(signed, sig, signer)) continue;
      if ("dropped_until" in line) log.droppedUntil = line.dropped_until;
      else log.changes.push(line);
    }
    return log;
  }
}

const LogLine = z.union([FileChangeRecord, DroppedChanges]);

interface HistoryLog {
  /** Oldest first. */
  changes: FileChangeRecord[];
  /** When the last change was made of those that were dropped. */
  droppedUntil: string | undefined;
}

const nothing: HistoryLog = { changes: [], droppedUntil: undefined };

const logName = "changes.jsonl";

/** The sizes of the contents in a directory, by their hashes. */
function sizesIn(directory: FilePath): (hash: string) => number {
  return (hash) =>
    atSync(
      within(directory, hash),
      (path) => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0,
    );
}
