import { createHash } from "node:crypto";
import { closeSync, fstatSync, lstatSync, readSync } from "node:fs";
import { hasErrno } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
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
import { openIfExistsSync } from "../lib/open-files.ts";
import { OwnDirectory } from "../lib/own-directory.ts";
import type { Secrets } from "../lib/secrets.ts";
import { Serial } from "../lib/serial.ts";
import { isSigned, type Signer, signRecord } from "../lib/signed-record.ts";
import { FileChangeRecord } from "../protocol/file-change.ts";
import type { MemberName } from "../protocol/ids.ts";
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
  after: Buffer;
}

/** Keeps what files had in them before a change. */
export interface ChangeKeeper {
  /** When it resolves, a rewind knows of the change that is about to be made. */
  keep(change: ComingChange): Promise<void>;
}

const standardLimits: HistoryLimits = { changes: 2_000, bytes: 256 * 1024 * 1024 };

/**
 * What files had in them before the tools of a team changed them, as far back as is kept: a signed
 * log of the changes, and each content once, in a file that is named after its hash.
 */
export class FileHistory {
  readonly #options: FileHistoryOptions;
  readonly #serial = new Serial();
  #isReady = false;
  #sincePruned = 0;
  /** The size of all contents that are kept. */
  #bytes = 0;

  constructor(options: FileHistoryOptions) {
    this.#options = options;
  }

  /** The history as the tools of one member write it. */
  of(member: MemberName): ChangeKeeper {
    return { keep: (change) => this.#keep(member, change) };
  }

  /** The changes since then, oldest first. */
  async since(date: Date): Promise<FileChangeRecord[]> {
    const { directory } = this.#options;
    using held = openIfThere(directory);
    const changes = held ? await this.#read(held.to()) : [];
    return changes.filter(({ at }) => Date.parse(at) >= date.getTime());
  }

  /** The content with this hash; undefined where it is not kept, or was changed. */
  content(hash: string): Buffer | undefined {
    using held = openIfThere(this.#options.directory);
    const content = held && readBytes(held.to(hash));
    return content && hashOf(content) === hash ? content : undefined;
  }

  async #keep(member: MemberName, { root, path, before, after }: ComingChange): Promise<void> {
    const { directory, signer, secrets, clock } = this.#options;
    await this.#serial.run(async () => {
      await ensurePrivateDirectory(directory);
      using held = OwnDirectory.open(directory);
      const text = before?.toString("latin1") ?? "";
      // A secret stays where it is: it is not copied.
      const kept = before === undefined || secrets.mask(text) === text;
      await this.#prepare(held.to(), kept && before ? before.length : 0);
      const hash = before ? hashOf(before) : null;
      if (before && hash && kept && (await createFileOnce(held.to(hash), before)))
        this.#bytes += before.length;
      const at = clock.now().toISOString();
      const change = { at, member, root, path, before: hash, after: hashOf(after), kept };
      appendLines(held.to(logName), toLines([signRecord(change, signer)]));
      this.#sincePruned += 1;
    });
  }

  /** Bounds what is kept: at the first change, now and then, and before it would be too large. */
  async #prepare(directory: FilePath, coming: number): Promise<void> {
    const { limits = standardLimits, onWarning } = this.#options;
    const path = within(directory, logName);
    if (!this.#isReady) await repairTail(path, FileChangeRecord, ({ reason }) => onWarning(reason));
    const isFull = this.#sincePruned * 4 >= limits.changes || this.#bytes + coming > limits.bytes;
    if (this.#isReady && !isFull) return;
    this.#isReady = true;
    this.#sincePruned = 0;
    const changes = await this.#read(directory);
    const { recent, bytes } = findRecent(changes, { directory, limits, coming });
    const [oldest] = changes.slice(0, changes.length - recent.length).slice(-1);
    // The newest one that is dropped stays in the log without its content: it shows that there were more.
    if (oldest) await replaceFile(path, toLines([oldest, ...recent]));
    const named = new Set(recent.map(({ before }) => before));
    for (const { name } of await listEntries(directory)) {
      if (/^[0-9a-f]{64}$/.test(name) && !named.has(name))
        await removeFile(within(directory, name));
    }
    this.#bytes = bytes;
  }

  async #read(directory: FilePath): Promise<FileChangeRecord[]> {
    const { signer, onWarning } = this.#options;
    const changes: FileChangeRecord[] = [];
    await using reader = await LineReader.open(within(directory, logName));
    for await (const line of reader?.forwards() ?? []) {
      const change = parseLine(line, FileChangeRecord, ({ reason }) => onWarning(reason));
      if (!change) continue;
      const { sig, ...signed } = change;
      if (isSigned(signed, sig, signer)) changes.push(change);
    }
    return changes;
  }
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

export function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function openIfThere(directory: string): OwnDirectory | undefined {
  try {
    return OwnDirectory.open(directory);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

function readBytes(path: FilePath): Buffer | undefined {
  const descriptor = openIfExistsSync(path);
  if (descriptor === undefined) return undefined;
  try {
    const { size } = fstatSync(descriptor);
    if (size > maxWholeBytes) return undefined;
    const bytes = Buffer.allocUnsafe(size);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, size, 0));
  } finally {
    closeSync(descriptor);
  }
}

function contentSize(path: FilePath): number {
  return atSync(path, (location) => lstatSync(location, { throwIfNoEntry: false })?.size ?? 0);
}
