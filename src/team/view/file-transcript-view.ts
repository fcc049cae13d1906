import type { FileHandle } from "node:fs/promises";
import { identityOf } from "../../lib/appearance.ts";
import { type FilePath, nameOf } from "../../lib/file-path.ts";
import type { Damage } from "../../lib/json-lines.ts";
import { type FileLine, LineReader, LineSplitter, maxRecordBytes } from "../../lib/line-reader.ts";
import { openIfExists } from "../../lib/open-files.ts";
import type { WakeSource } from "../../lib/wake-source.ts";
import { follow } from "../../logs/follow.ts";
import { type EntryChain, follows, type SealedPlace } from "../../transcript/entry-chain.ts";
import { parseEntry } from "../../transcript/file-transcript.ts";
import type { ListedEntry, PageCursor, TranscriptPage, TranscriptQuery } from "./team-view.ts";

export interface FileTranscriptViewOptions {
  path: FilePath;
  /** Verifies the entries; undefined if they cannot be verified, and all are shown. */
  chain: EntryChain | undefined;
  /** Called with each line that is not an entry. */
  onDamage(damage: Damage): void;
}

/** A file, and the start of one of its lines. */
interface TranscriptPlace {
  file: string;
  offset: number;
}

type TranscriptSlice = Pick<TranscriptPage, "entries" | "before" | "after">;

/** A page ends once it has read this much. */
const maxPageBytes = 1024 * 1024;

/** A member's transcript in its file, which another process writes. Changes nothing. */
export class FileTranscriptView {
  readonly #options: FileTranscriptViewOptions;

  constructor(options: FileTranscriptViewOptions) {
    this.#options = options;
  }

  async page(query: TranscriptQuery): Promise<TranscriptPage> {
    await using reader = await LineReader.open(this.#options.path);
    const isForwards = query.after !== undefined;
    const asked = query.after === null ? beginning : placeAt(query.after ?? query.before);
    if (!reader) {
      const isRestarted = asked !== undefined && asked.file !== noFile;
      const after = cursorOf(beginning);
      return { entries: [], before: null, after, isRestarted };
    }
    const stats = await reader.stat();
    const log = { reader, file: identityOf(stats), limit: query.limit };
    if (asked?.file === noFile && isForwards) {
      return { ...(await this.#readOn(log, 0)), isRestarted: false };
    }
    if (!asked || asked.file !== log.file || asked.offset > stats.size) {
      return { ...(await this.#readBack(log)), isRestarted: asked !== undefined };
    }
    const { offset } = asked;
    const part = await (isForwards ? this.#readOn(log, offset) : this.#readBack(log, offset));
    return { ...part, isRestarted: false };
  }

  async *follow(
    after: PageCursor,
    { wakes, signal }: { wakes: WakeSource; signal: AbortSignal },
  ): AsyncGenerator<ListedEntry> {
    const { path } = this.#options;
    const asked = placeAt(after);
    await using file = new GrowingFile(path);
    const id = await file.open();
    if (asked && asked.file === id) file.skipTo(asked.offset);
    const listed = (line: FileLine) => this.#listed(line, file.id ?? noFile);
    yield* follow({
      async *readNew() {
        for await (const line of file.readOn()) yield* listed(line);
      },
      subscribe: (wake) => wakes.subscribe(nameOf(path), wake),
      signal,
    });
  }

  async #readBack({ reader, file, limit }: OpenTranscript, to?: number): Promise<TranscriptSlice> {
    const entries: ListedEntry[] = [];
    const order = new EntryOrder(this.#options);
    if (to !== undefined) order.skip(await firstLine(reader, to));
    let first: number | undefined;
    let end = to;
    for await (const line of reader.backwards(to)) {
      end ??= line.end;
      first = line.offset;
      order.check(line);
      entries.push(...this.#listed(line, file));
      if (entries.length >= limit || end - first >= maxPageBytes) break;
    }
    return {
      entries: entries.reverse(),
      before: first ? cursorOf({ file, offset: first }) : null,
      after: cursorOf({ file, offset: end ?? 0 }),
    };
  }

  async #readOn({ reader, file, limit }: OpenTranscript, from: number): Promise<TranscriptSlice> {
    const entries: ListedEntry[] = [];
    let end = from;
    for await (const line of reader.forwards(from)) {
      end = line.end;
      entries.push(...this.#listed(line, file));
      if (entries.length >= limit || end - from >= maxPageBytes) break;
    }
    return {
      entries,
      before: from > 0 ? cursorOf({ file, offset: from }) : null,
      after: cursorOf({ file, offset: end }),
    };
  }

  #listed(line: FileLine, file: string): ListedEntry[] {
    if (line.bytes.length === 0) return [];
    const cursor = cursorOf({ file, offset: line.offset });
    let damage = "is not an entry";
    const entry = parseEntry(line, this.#options.chain, (found) => {
      damage = found.reason;
      this.#options.onDamage(found);
    });
    return [entry ? { cursor, entry, damage: null } : { cursor, entry: null, damage }];
  }
}

/** Reports missing entries between lines that are read from the last to the first. */
class EntryOrder {
  readonly #options: FileTranscriptViewOptions;
  #next: SealedPlace | undefined;

  constructor(options: FileTranscriptViewOptions) {
    this.#options = options;
  }

  /** Begins before `line`. */
  skip(line: FileLine | undefined): void {
    this.#next = line && this.#options.chain?.placeOf(line.bytes);
  }

  check(line: FileLine): void {
    const place = this.#options.chain?.placeOf(line.bytes);
    if (place && this.#next && !follows(this.#next, place)) this.#tellOfGap(line.end);
    if (place) this.#next = place;
    if (line.offset === 0 && this.#next && this.#next.number > 1) this.#tellOfGap(0);
  }

  #tellOfGap(offset: number): void {
    const { path, onDamage } = this.#options;
    const reason = `${path}, before byte ${offset}: entries are missing, or out of order`;
    onDamage({ path: String(path), offset, reason });
  }
}

async function firstLine(reader: LineReader, from: number): Promise<FileLine | undefined> {
  for await (const line of reader.forwards(from)) return line;
  return undefined;
}

interface OpenTranscript {
  reader: LineReader;
  file: string;
  limit: number;
}

/** The file of a cursor in a transcript that does not exist yet. */
const noFile = "none";
/** Before the first entry, also of one that does not exist yet. */
const beginning: TranscriptPlace = { file: noFile, offset: 0 };

function cursorOf({ file, offset }: TranscriptPlace): PageCursor {
  return `${file}_${offset}`;
}

/** The place of a cursor. An invalid cursor is in no existing file. */
function placeAt(cursor: PageCursor | undefined): TranscriptPlace | undefined {
  if (cursor === undefined) return undefined;
  const [, file = "", offset = "0"] = /^([a-z0-9-]{1,60})_(\d{1,15})$/.exec(cursor) ?? [];
  return { file, offset: Number(offset) };
}

/** The file at a path as it grows, and the next one when another takes its place. */
class GrowingFile implements AsyncDisposable {
  readonly #path: FilePath;
  #file: FileHandle | undefined;
  #id: string | undefined;
  /** The start of the first line that was not read. */
  #offset = 0;

  constructor(path: FilePath) {
    this.#path = path;
  }

  /** Identifies the file that is being read; undefined if it is missing. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Starts at the beginning of the current file. Resolves to its id. */
  async open(): Promise<string | undefined> {
    this.#file = await openIfExists(this.#path);
    this.#id = await idOf(this.#file);
    return this.#id;
  }

  /** Continues at `offset`, where a line begins. */
  skipTo(offset: number): void {
    this.#offset = offset;
  }

  /** The whole lines that have been added since. */
  async *readOn(): AsyncGenerator<FileLine> {
    for (;;) {
      // Opened before the rest of the old file is read: a renamed file no longer grows.
      const now = await openIfExists(this.#path);
      const id = await idOf(now);
      const isAnother = now !== undefined && id !== this.#id;
      let needless = now;
      try {
        yield* this.#rest();
        if (!isAnother) return;
        needless = this.#file;
        this.#file = now;
        this.#id = id;
        this.#offset = 0;
      } finally {
        await needless?.close();
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
  }

  async *#rest(): AsyncGenerator<FileLine> {
    const splitter = new LineSplitter(this.#path, this.#offset, maxRecordBytes);
    let position = this.#offset;
    for (;;) {
      const chunk = await this.#file?.read(Buffer.alloc(chunkBytes), 0, chunkBytes, position);
      if (!chunk || chunk.bytesRead === 0) return;
      position += chunk.bytesRead;
      for (const line of splitter.push(chunk.buffer.subarray(0, chunk.bytesRead))) {
        this.#offset = line.end;
        yield line;
      }
    }
  }
}

const chunkBytes = 64 * 1024;

async function idOf(file: FileHandle | undefined): Promise<string | undefined> {
  const stats = await file?.stat({ bigint: true });
  return stats && identityOf(stats);
}
