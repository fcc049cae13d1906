import { hasErrno } from "../errors.ts";
import { type FilePath, parentOf } from "../lib/file-path.ts";
import { ensurePrivateDirectory, moveFile } from "../lib/files.ts";
import type { HeldFiles } from "../lib/held-files.ts";
import { appendLines, type Damage, parseLine, repairTail } from "../lib/json-lines.ts";
import { type FileLine, LineReader } from "../lib/line-reader.ts";
import { Serial } from "../lib/serial.ts";
import { TranscriptEntry } from "../protocol/transcript.ts";
import { type ChainedTail, readChainedTail } from "./chained-tail.ts";
import { type ChainLink, chainStart, type EntryChain } from "./entry-chain.ts";
import type { HeadFile } from "./head-file.ts";
import { rewriteTail } from "./rewrite-tail.ts";
import { CountingEntries, type Transcript, type TranscriptReader } from "./transcript.ts";

export interface FileTranscriptOptions {
  /**
   * Verifies which lines troupe wrote into this transcript. Without it, every line that has the
   * form of an entry is shown.
   */
  chain?: EntryChain | undefined;
  /** Called once for each line that is not an entry of this transcript, and for missing entries. */
  onDamage(damage: Damage): void;
}

interface WriterOptions extends FileTranscriptOptions {
  chain: EntryChain;
  /** Undefined if no file can record the transcript's end. */
  head?: HeadFile | undefined;
  /** Throws when this process may no longer write. */
  check?: () => Promise<void>;
  /** Keeps the transcript open from one entry to the next. */
  files?: HeldFiles;
}

/** Reads a transcript that another process may be writing, and never changes it. */
export class FileTranscriptReader implements TranscriptReader {
  readonly #path: FilePath;
  readonly #chain: EntryChain | undefined;
  readonly #onDamage: (damage: Damage) => void;
  readonly #reported = new Set<number>();

  constructor(path: FilePath, { chain, onDamage }: FileTranscriptOptions) {
    this.#path = path;
    this.#chain = chain;
    this.#onDamage = onDamage;
  }

  async tail(): Promise<TranscriptEntry[]> {
    const counting = new CountingEntries();
    const newestFirst: TranscriptEntry[] = [];
    await using reader = await LineReader.open(this.#path);
    for await (const line of reader?.backwards() ?? []) {
      const entry = this.#parse(line);
      if (!entry || !counting.counts(entry)) continue;
      newestFirst.push(entry);
      if (entry.type === "compaction") break;
    }
    return newestFirst.reverse();
  }

  async *entries(): AsyncGenerator<TranscriptEntry> {
    await using reader = await LineReader.open(this.#path);
    for await (const line of reader?.forwards() ?? []) {
      const entry = this.#parse(line);
      if (entry) yield entry;
    }
  }

  /** Reports a problem with a line, once. */
  report(damage: Damage): void {
    if (this.#reported.has(damage.offset)) return;
    this.#reported.add(damage.offset);
    this.#onDamage(damage);
  }

  #parse(line: FileLine): TranscriptEntry | undefined {
    return parseEntry(line, this.#chain, (damage) => this.report(damage));
  }
}

/** The entry in `line`; anything else, or unsigned by `chain`, is reported to `onDamage`. */
export function parseEntry(
  line: FileLine,
  chain: EntryChain | undefined,
  onDamage: (damage: Damage) => void,
): TranscriptEntry | undefined {
  const { path, offset, bytes } = line;
  if (bytes.length === 0) return undefined;
  if (chain && !chain.placeOf(bytes)) {
    const reason = `${path}, byte ${offset} was not written by troupe`;
    onDamage({ path: String(path), offset, reason });
    return undefined;
  }
  return parseLine(line, TranscriptEntry, onDamage);
}

/**
 * A transcript in one JSON Lines file, whose entries are signed and chained. When it is opened, the
 * unfinished line of a writer that died is moved to `.<name>/torn.jsonl`, lines that are not its
 * entries to `.<name>/damaged.jsonl`, and a `gap` is put where entries are missing.
 */
export class FileTranscript implements Transcript {
  readonly #path: FilePath;
  readonly #options: WriterOptions;
  readonly #reader: FileTranscriptReader;
  readonly #serial = new Serial();
  #last: ChainLink;

  private constructor(path: FilePath, options: WriterOptions, last: ChainLink) {
    this.#path = path;
    this.#options = options;
    this.#reader = new FileTranscriptReader(path, options);
    this.#last = last;
  }

  /** Opens the transcript as its only writer. */
  static async open(path: FilePath, options: WriterOptions): Promise<FileTranscript> {
    await options.check?.();
    await ensurePrivateDirectory(parentOf(path));
    const isTorn = await repairTail(path, () => TranscriptEntry, options.onDamage);
    const tail = await readTail(path, { ...options, isTorn });
    const last = tail.isSound ? tail.last : await rewriteTail(path, tail, options);
    return new FileTranscript(path, options, last);
  }

  async append(entries: readonly TranscriptEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.#serial.run(async () => {
      const { chain, head, check, files } = this.#options;
      await check?.();
      let lines = "";
      let last = this.#last;
      for (const entry of entries) {
        const sealed = chain.seal(typeFirst(entry), last);
        lines += sealed.line;
        last = sealed.link;
      }
      appendLines(this.#path, lines, files);
      this.#last = last;
      head?.write(last);
    });
  }

  /** Moves the transcript, if there is one, to `path`, and starts an empty one. */
  async moveTo(path: FilePath): Promise<void> {
    await this.#serial.run(async () => {
      await this.#options.check?.();
      // This comes first: a head that is behind its transcript does no harm, one without a
      // transcript reports a loss.
      this.#options.head?.write(chainStart);
      await moveFile(this.#path, path).catch((error: unknown) => {
        if (!hasErrno(error, "ENOENT")) throw error;
      });
      this.#last = chainStart;
    });
  }

  async tail(): Promise<TranscriptEntry[]> {
    const { entries, foreign } = await readTail(this.#path, { ...this.#options, isTorn: false });
    for (const { line, reason } of foreign) {
      this.#reader.report({ path: String(this.#path), offset: line.offset, reason });
    }
    return entries;
  }

  entries(): AsyncIterable<TranscriptEntry> {
    return this.#reader.entries();
  }
}

async function readTail(
  path: FilePath,
  { chain, head, isTorn }: WriterOptions & { isTorn: boolean },
): Promise<ChainedTail> {
  await using reader = await LineReader.open(path);
  const known = await head?.read();
  return await readChainedTail(reader, {
    chain,
    head: known,
    isHeadLost: head !== undefined && known === undefined,
    isTorn,
  });
}

/**
 * Puts `type` first, so that `grep '^{"type":"reply"'` finds all replies and nothing a model has
 * quoted.
 */
function typeFirst(entry: TranscriptEntry): object {
  for (const key in entry) {
    if (key === "type") return entry;
    break;
  }
  const { type, ...rest } = entry;
  return { type, ...rest };
}
