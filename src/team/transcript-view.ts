import type { FileHandle } from "node:fs/promises";
import { type FilePath, nameOf } from "../lib/file-path.ts";
import type { Damage } from "../lib/json-lines.ts";
import { type Line, LineReader, LineSplitter, maxRecordBytes } from "../lib/line-reader.ts";
import { openIfExists } from "../lib/open-files.ts";
import type { WakeSource } from "../lib/wake-source.ts";
import { follow } from "../logs/follow.ts";
import type { Entry } from "../protocol/transcript.ts";
import { type EntryChain, follows, type SealedPlace } from "../transcript/entry-chain.ts";
import { parseEntry } from "../transcript/file-transcript.ts";
import { TranscriptFile } from "./transcript-file.ts";

export interface TranscriptViewOptions {
  path: FilePath;
  /** Knows what troupe wrote there; undefined where nobody can tell, and all is shown. */
  chain(): Promise<EntryChain | undefined>;
  /** Told of each line that is no entry. */
  onDamage(damage: Damage): void;
  /** Begins to watch the directory of the transcript. */
  watch(): WakeSource & Disposable;
}

export interface TranscriptFollowOptions {
  /** How many entries of the past are wanted. */
  last: number;
  /** Which entries are wanted at all. */
  counts(entry: Entry): boolean;
  signal: AbortSignal;
}

/** Looks at a member's transcript from its end, whoever writes it, and never touches it. */
export class TranscriptView {
  readonly #options: TranscriptViewOptions;

  constructor(options: TranscriptViewOptions) {
    this.#options = options;
  }

  /** The transcript as it is now, to be read from any place; undefined where there is none. */
  async open(): Promise<TranscriptFile | undefined> {
    const { path } = this.#options;
    const onDamage = (damage: Damage) => this.#options.onDamage(damage);
    return TranscriptFile.open(path, { chain: await this.#options.chain(), onDamage });
  }

  /** The entries from the last to the first. Whoever stops early has read no more than that. */
  async *newestFirst(): AsyncGenerator<Entry> {
    const chain = await this.#options.chain();
    let next: SealedPlace | undefined;
    await using reader = await LineReader.open(this.#options.path);
    for await (const line of reader?.backwards() ?? []) {
      const place = chain?.placeOf(line.bytes);
      if (place && next && !follows(next, place)) this.#tellOfGap(line);
      if (place) next = place;
      yield* this.#entryIn(line, chain);
    }
    if (next && next.number > 1) this.#tellOfGap({ path: this.#options.path, end: 0 });
  }

  #tellOfGap({ path, end }: Pick<Line, "path" | "end">): void {
    const reason = `${path}, before byte ${end}: entries are missing, or not in their order`;
    this.#options.onDamage({ path: String(path), offset: end, reason });
  }

  /**
   * The last entries for which `counts` holds, at most `last`, oldest first, and then each that is
   * appended, until `signal` aborts: whole, in order, none twice. Where the member begins a new
   * transcript, the old one is read to its end first.
   */
  async *follow({ last, counts, signal }: TranscriptFollowOptions): AsyncGenerator<Entry> {
    const { path, watch } = this.#options;
    const chain = await this.#options.chain();
    const wantedIn = (line: Line) => this.#entryIn(line, chain).filter(counts);
    await using file = new GrowingFile(path);
    yield* await lastEntries(await file.open(), { file, last, wantedIn });
    if (signal.aborted) return;
    using wakes = watch();
    yield* follow({
      async *readNew() {
        for await (const line of file.readOn()) yield* wantedIn(line);
      },
      subscribe: (wake) => wakes.subscribe(nameOf(path), wake),
      signal,
    });
  }

  #entryIn(line: Line, chain: EntryChain | undefined): Entry[] {
    const entry = parseEntry(line, chain, (damage) => this.#options.onDamage(damage));
    return entry ? [entry] : [];
  }
}

interface LastEntriesOptions {
  file: GrowingFile;
  last: number;
  wantedIn(line: Line): Entry[];
}

/** Oldest first. `file` goes on behind them. */
async function lastEntries(
  opened: LineReader | undefined,
  { file, last, wantedIn }: LastEntriesOptions,
): Promise<Entry[]> {
  await using reader = opened;
  const newestFirst: Entry[] = [];
  for await (const line of reader?.backwards() ?? []) {
    file.isReadTo(line.end);
    if (newestFirst.length >= last) break;
    newestFirst.push(...wantedIn(line));
  }
  return newestFirst.reverse();
}

/** The file at a path as it grows, and the next one when another takes its place. */
class GrowingFile implements AsyncDisposable {
  readonly #path: FilePath;
  #file: FileHandle | undefined;
  /** Where the first line begins that was not read. */
  #offset = 0;

  constructor(path: FilePath) {
    this.#path = path;
  }

  /** Begins with the file that is there, and gives it to be read from its end. */
  async open(): Promise<LineReader | undefined> {
    for (;;) {
      this.#file = await openIfExists(this.#path);
      const reader = await LineReader.open(this.#path);
      const ino = (await reader?.stat())?.ino;
      if (ino === (await inodeOf(this.#file))) return reader;
      await reader?.[Symbol.asyncDispose]();
      await this.#file?.close();
    }
  }

  /** All lines up to here are known. Nothing goes back. */
  isReadTo(offset: number): void {
    this.#offset = Math.max(this.#offset, offset);
  }

  /** The whole lines that have come since. */
  async *readOn(): AsyncGenerator<Line> {
    for (;;) {
      // Opened before the rest of the old file is read: what is renamed does not grow any more.
      const now = await openIfExists(this.#path);
      const isAnother = now && (await inodeOf(now)) !== (await inodeOf(this.#file));
      let needless = now;
      try {
        yield* this.#rest();
        if (!isAnother) return;
        needless = this.#file;
        this.#file = now;
        this.#offset = 0;
      } finally {
        await needless?.close();
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
  }

  async *#rest(): AsyncGenerator<Line> {
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

async function inodeOf(file: FileHandle | undefined): Promise<bigint | undefined> {
  return (await file?.stat({ bigint: true }))?.ino;
}
