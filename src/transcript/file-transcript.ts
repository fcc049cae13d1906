import { type FilePath, parentOf } from "../lib/file-path.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import { appendLines, type Damage, parseLine, repairTail, toLines } from "../lib/json-lines.ts";
import { type Line, LineReader } from "../lib/line-reader.ts";
import { Serial } from "../lib/serial.ts";
import { Entry } from "../protocol/transcript.ts";
import type { Transcript, TranscriptReader } from "./transcript.ts";

export interface FileTranscriptOptions {
  /** Told once of each line that is no entry. It stays where it is, and all others count. */
  onDamage(damage: Damage): void;
}

interface WriterOptions extends FileTranscriptOptions {
  /** Throws when this process may no longer write. */
  check?: () => Promise<void>;
}

/** Looks at a transcript that another process may be writing, and never touches it. */
export class FileTranscriptReader implements TranscriptReader {
  readonly #path: FilePath;
  readonly #onDamage: (damage: Damage) => void;
  readonly #reported = new Set<number>();

  constructor(path: FilePath, { onDamage }: FileTranscriptOptions) {
    this.#path = path;
    this.#onDamage = onDamage;
  }

  async tail(): Promise<Entry[]> {
    const newestFirst: Entry[] = [];
    await using reader = await LineReader.open(this.#path);
    for await (const line of reader?.backwards() ?? []) {
      const entry = this.#parse(line);
      if (entry) newestFirst.push(entry);
      if (entry?.type === "compaction") break;
    }
    return newestFirst.reverse();
  }

  async *entries(): AsyncGenerator<Entry> {
    await using reader = await LineReader.open(this.#path);
    for await (const line of reader?.forwards() ?? []) {
      const entry = this.#parse(line);
      if (entry) yield entry;
    }
  }

  #parse(line: Line): Entry | undefined {
    return parseLine(line, Entry, (damage) => {
      if (this.#reported.has(damage.offset)) return;
      this.#reported.add(damage.offset);
      this.#onDamage(damage);
    });
  }
}

/**
 * A transcript in one JSON Lines file. What a dying writer could not finish is moved to
 * `.<name>/torn.jsonl` beside it when the file is opened.
 */
export class FileTranscript implements Transcript {
  readonly #path: FilePath;
  readonly #reader: FileTranscriptReader;
  readonly #check: () => Promise<void>;
  readonly #serial = new Serial();

  private constructor(path: FilePath, options: WriterOptions) {
    this.#path = path;
    this.#check = options.check ?? (async () => undefined);
    this.#reader = new FileTranscriptReader(path, options);
  }

  /** Opens the transcript as its only writer. */
  static async open(path: FilePath, options: WriterOptions): Promise<FileTranscript> {
    await options.check?.();
    await ensurePrivateDirectory(parentOf(path));
    await repairTail(path, Entry, options.onDamage);
    return new FileTranscript(path, options);
  }

  async append(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.#serial.run(async () => {
      await this.#check();
      appendLines(this.#path, toLines(entries.map(typeFirst)));
    });
  }

  tail(): Promise<Entry[]> {
    return this.#reader.tail();
  }

  entries(): AsyncIterable<Entry> {
    return this.#reader.entries();
  }
}

/** So that `grep '^{"type":"reply"'` finds all replies and nothing a model has quoted. */
function typeFirst(entry: Entry): object {
  for (const key in entry) {
    if (key === "type") return entry;
    break;
  }
  const { type, ...rest } = entry;
  return { type, ...rest };
}
