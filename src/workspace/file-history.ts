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
import type { Secrets } from "../lib/secrets.ts";
import { Serial } from "../lib/serial.ts";
import { isSigned, type Signer, signRecord } from "../lib/signed-record.ts";
import { DroppedChanges, FileChangeRecord } from "../protocol/file-change.ts";
import { type MemberName, user } from "../protocol/ids.ts";
import { maxWholeBytes } from "./regular-file.ts";

export interface FileHistoryOptions {
  /** Belongs to the history alone, such as `.team/checkpoints`. */
  directory: string;
  signer: Signer;
  secrets: Pick<Secrets, "mask">;
  clock: Clock;
  onWarning(message: string): void;
  /** How much is kept (default: 2,000 changes and 256 MiB). */
  limits?: HistoryLimits;
}

interface HistoryLimits {
  changes: number;
  bytes: number;
}

/** A change that is about to be made. */
export interface ComingChange {
  root: string;
  path: string;
  /** Undefined where there is no such file. */
  before: Buffer | undefined;
  /** Undefined where the file is to be removed. */
  after: Buffer | undefined;
}

/** Keeps what files had in them before a change. */
export interface ChangeKeeper {
  /** When it resolves, a rewind knows of the change that is about to be made. */
  keep(change: ComingChange): Promise<void>;
}

const standardLimits: HistoryLimits = { changes: 2_000, bytes: 256 * 1024 * 1024 };

/** The changes since some time. */
export interface KnownChanges {
  /** Oldest first. */
  changes: FileChangeRecord[];
  /** False where the first ones were dropped to make room. */
  isWhole: boolean;
}

/** Who makes a change. */
interface Changer {
  member: MemberName;
  /** Whether older changes are dropped where there is no room for its content. */
  makesRoom: boolean;
}

/**
 * What files had in them before the tools of a team changed them, as far back as is kept: a signed
 * log of the changes, and each content once, in a file that is named after its hash.
 */
export class FileHistory {
  readonly #options: FileHistoryOptions;
  readonly #serial = new Serial();
  #isReady = false;
  /** How many changes there were since the oldest were dropped; unknown at first. */
  #sincePruned = Number.POSITIVE_INFINITY;
  /** The size of all contents that are kept. */
  #bytes = 0;

  constructor(options: FileHistoryOptions) {
    this.#options = options;
  }

  /** The history as the tools of one member write it. */
  of(member: MemberName): ChangeKeeper {
    return { keep: (change) => this.#keep({ member, makesRoom: true }, change) };
  }

  /** The history as a rewind writes it, which may need all that is kept. */
  ofRewind(): ChangeKeeper {
    return { keep: (change) => this.#keep({ member: user, makesRoom: false }, change) };
  }

  async since(date: Date): Promise<KnownChanges> {
    const { directory } = this.#options;
    using held = openIfThere(directory);
    const isLater = (at: string) => Date.parse(at) >= date.getTime();
    const log = held ? await this.#read(held.to()) : { changes: [], droppedUntil: undefined };
    const first = log.changes.findIndex(({ at }) => isLater(at));
    return {
      // All that follow in the log: the clock may have been set back since.
      changes: first < 0 ? [] : log.changes.slice(first),
      isWhole: log.droppedUntil === undefined || !isLater(log.droppedUntil),
    };
  }

  /** The content with this hash; undefined where it is not kept, or was changed. */
  content(hash: string): Buffer | undefined {
    return readContent(this.#options.directory, hash, maxWholeBytes);
  }

  async #keep({ member, makesRoom }: Changer, change: ComingChange): Promise<void> {
    const { directory, signer, clock } = this.#options;
    const { root, path, before, after } = change;
    await this.#serial.run(async () => {
      await ensurePrivateDirectory(directory);
      using held = OwnDirectory.open(directory);
      await this.#prepare(held.to());
      const isPlain = !before || this.#hasNoSecret(before);
      const size = isPlain && before ? before.length : 0;
      if (makesRoom && this.#isFull(size)) await this.#makeRoom(held.to(), size);
      const kept = isPlain && (makesRoom || this.#bytes + size <= this.#limits.bytes);
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

  /** A secret stays where it is: it is not copied. */
  #hasNoSecret(content: Buffer): boolean {
    const text = content.toString("latin1");
    return this.#options.secrets.mask(text) === text;
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
    await repairTail(within(directory, logName), LogLine, ({ reason }) => onWarning(reason));
    const { changes } = await this.#read(directory);
    const limits = { changes: changes.length, bytes: Number.POSITIVE_INFINITY };
    this.#bytes = findNewest(changes, { directory, limits, coming: 0 }).bytes;
    this.#isReady = true;
  }

  /** Bounds what is kept: at the first change, now and then, and before it would be too large. */
  async #makeRoom(directory: FilePath, coming: number): Promise<void> {
    const { signer } = this.#options;
    this.#sincePruned = 0;
    const { changes, droppedUntil } = await this.#read(directory);
    const { recent, bytes } = findRecent(changes, { directory, limits: this.#limits, coming });
    const dropped = changes.slice(0, changes.length - recent.length).map(({ at }) => at);
    if (dropped.length > 0) {
      const dropped_until = latest([...dropped, ...(droppedUntil ? [droppedUntil] : [])]);
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
    const log: HistoryLog = { changes: [], droppedUntil: undefined };
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

function latest(times: readonly string[]): string {
  const ms = Math.max(...times.map((time) => Date.parse(time)));
  return new Date(ms).toISOString();
}

interface RecentChanges {
  /** Oldest first. */
  recent: FileChangeRecord[];
  /** The size of their contents. */
  bytes: number;
}

interface NeededSpace {
  directory: FilePath;
  limits: HistoryLimits;
  /** The size of the content that comes next. */
  coming: number;
}

/** All changes, where they are within the limits; otherwise the newest, so that there is room for more. */
function findRecent(changes: readonly FileChangeRecord[], room: NeededSpace): RecentChanges {
  const all = findNewest(changes, room);
  if (all.recent.length === changes.length) return all;
  const limits = { changes: room.limits.changes * 0.75, bytes: room.limits.bytes * 0.75 };
  return findNewest(changes, { ...room, limits });
}

function findNewest(
  changes: readonly FileChangeRecord[],
  { directory, limits, coming }: NeededSpace,
): RecentChanges {
  const recent: FileChangeRecord[] = [];
  const counted = new Set<string | null>();
  const maxBytes = Math.max(0, limits.bytes - coming);
  let bytes = 0;
  for (const change of changes.toReversed()) {
    const { before } = change;
    const size =
      before === null || counted.has(before) ? 0 : contentSize(within(directory, before));
    if (bytes + size > maxBytes || recent.length >= limits.changes) break;
    counted.add(before);
    bytes += size;
    recent.push(change);
  }
  return { recent: recent.reverse(), bytes };
}

const logName = "changes.jsonl";

function contentSize(path: FilePath): number {
  return atSync(path, (location) => lstatSync(location, { throwIfNoEntry: false })?.size ?? 0);
}
