import { closeSync, fstatSync, renameSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { hasErrno } from "../../errors.ts";
import { ensurePrivateDirectory } from "../../lib/files.ts";
import { endsWithLine } from "../../lib/json-lines.ts";
import { LineReader } from "../../lib/line-reader.ts";
import { openPrivateSync } from "../../lib/open-files.ts";
import { readJson } from "../../lib/read-json.ts";
import type { HeldParts } from "./editor-units.ts";

export interface InputHistoryOptions {
  /** The JSON Lines file of the history. */
  path: string;
  /** Removes secrets before a text is stored. */
  mask(text: string): string;
  /** Called if the file cannot be read or written; the history then stays in memory. */
  onWarning(message: string): void;
}

const maxEntries = 1_000;

const HistoryEntry = z.object({
  text: z.string(),
  /** The paths of the images that were pasted into it. */
  images: z.array(z.string()).default([]),
  /** Those of its parts that were pasted and are one unit in the line. */
  pastes: z.array(z.string()).default([]),
});
type HistoryEntry = z.infer<typeof HistoryEntry>;

/** The texts submitted before, for the arrow keys. */
export class InputHistory {
  readonly #file: HistoryFile;
  readonly #options: InputHistoryOptions;
  #entries: HistoryEntry[] = [];
  /** The index of the shown entry; the number of entries means the draft. */
  #at = 0;
  #draft: HistoryEntry = noDraft;

  private constructor(options: InputHistoryOptions) {
    this.#options = options;
    this.#file = new HistoryFile(options.path);
  }

  /** Reads the file. Never fails: an unreadable file is a warning. */
  static async open(options: InputHistoryOptions): Promise<InputHistory> {
    const history = new InputHistory(options);
    try {
      for (const entry of await history.#file.read(maxEntries)) history.#remember(entry);
    } catch (error) {
      history.#warn("read", error);
    }
    history.#at = history.#entries.length;
    return history;
  }

  /** Adds a submitted text with what it holds, also to the file, and returns to the newest. */
  add(text: string, held: HeldParts = noDraft): void {
    const entry = entryOf(text, held);
    const isNew = text.trim() !== "" && !isSame(entry, this.#entries.at(-1));
    if (isNew) this.#remember(entry);
    this.#at = this.#entries.length;
    this.#draft = noDraft;
    if (!isNew) return;
    const { mask } = this.#options;
    try {
      const { images, pastes } = entry;
      this.#file.append(
        entryOf(mask(text), { images: images.map(mask), pastes: pastes.map(mask) }),
      );
    } catch (error) {
      this.#warn("written", error);
    }
  }

  /** The entry before the shown one; undefined if there is none. `draft` is the current text. */
  older(draft: string, held: HeldParts = noDraft): string | undefined {
    if (this.#at === 0) return undefined;
    if (this.#at === this.#entries.length) this.#draft = entryOf(draft, held);
    this.#at--;
    return this.#entries[this.#at]?.text;
  }

  /** The entry after the shown one, or the draft after the newest; undefined on the draft. */
  newer(): string | undefined {
    if (this.#at === this.#entries.length) return undefined;
    this.#at++;
    return (this.#entries[this.#at] ?? this.#draft).text;
  }

  /** What this very text had in it as single units, newest first looked for. */
  heldIn(text: string): HeldParts {
    const isIt = (entry: HistoryEntry) => entry.text === text;
    const shown = this.#entries[this.#at] ?? this.#draft;
    return (isIt(shown) ? shown : this.#entries.findLast(isIt)) ?? noDraft;
  }

  /** The newest text that has `query` in it, in any case, before the one with the index `before`. */
  find(query: string, before = this.#entries.length): { text: string; index: number } | undefined {
    const wanted = query.toLowerCase();
    const index = this.#entries
      .slice(0, before)
      .findLastIndex(({ text }) => text.toLowerCase().includes(wanted));
    const text = this.#entries[index]?.text;
    return text === undefined ? undefined : { text, index };
  }

  #remember(entry: HistoryEntry): void {
    if (isSame(entry, this.#entries.at(-1))) return;
    this.#entries.push(entry);
    if (this.#entries.length > maxEntries) this.#entries = this.#entries.slice(-maxEntries);
  }

  #warn(done: string, error: unknown): void {
    if (!(error instanceof Error)) throw error;
    this.#options.onWarning(
      `The input history could not be ${done} (${error.message}). It is kept until you quit.`,
    );
  }
}

const noDraft: HistoryEntry = { text: "", images: [], pastes: [] };

function entryOf(text: string, { images, pastes }: HeldParts): HistoryEntry {
  return { text, images: [...images], pastes: [...pastes] };
}

function isSame(entry: HistoryEntry, other: HistoryEntry | undefined): boolean {
  return JSON.stringify(entry) === JSON.stringify(other);
}

/** A larger file is renamed and a new one started; one older file is kept. */
const maxBytes = 4 * 1024 * 1024;

/** A longer text is not stored: it was pasted, and a few of them would displace all others. */
const maxTextLength = 100_000;

/**
 * A file of submitted texts, one per line, to which several processes may append at once. A long
 * file is renamed to `<path>.old`, so that nothing another process appends is lost.
 */
class HistoryFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The last `count` texts, oldest first. Invalid lines are skipped. */
  async read(count: number): Promise<HistoryEntry[]> {
    await ensurePrivateDirectory(dirname(this.#path));
    const { lines, bytes } = await readEnd(this.#path);
    if (lines.length > count || bytes > maxBytes) this.#setAside(bytes);
    const older = lines.length > count ? [] : (await readEnd(`${this.#path}.old`)).lines;
    return [...older, ...lines]
      .slice(-2 * count)
      .flatMap(entriesIn)
      .slice(-count);
  }

  append({ text, images, pastes }: HistoryEntry): void {
    if (text.length > maxTextLength) return;
    const descriptor = openPrivateSync(this.#path, "a+");
    try {
      // End a line that another process left unfinished.
      const start = endsWithLine(descriptor, fstatSync(descriptor).size) ? "" : "\n";
      // One write(2) to a file opened for appending: lines of two processes never mix.
      writeSync(
        descriptor,
        `${start}${JSON.stringify({ text, ...(images.length > 0 && { images }), ...(pastes.length > 0 && { pastes }) })}\n`,
      );
    } finally {
      closeSync(descriptor);
    }
  }

  #setAside(bytes: number): void {
    try {
      // Another process may have done it already: then the file is smaller.
      if (statSync(this.#path).size >= bytes) renameSync(this.#path, `${this.#path}.old`);
    } catch (error) {
      if (!hasErrno(error, "ENOENT")) throw error;
    }
  }
}

/** The lines at the end of a file, and the file's length. */
async function readEnd(path: string): Promise<{ lines: string[]; bytes: number }> {
  await using reader = await LineReader.open(path);
  if (!reader) return { lines: [], bytes: 0 };
  const bytes = Number((await reader.stat()).size);
  const lines = (await reader.before(bytes, maxBytes)).toString().split("\n");
  // The first line of a longer file is incomplete.
  return { lines: bytes > maxBytes ? lines.slice(1) : lines, bytes };
}

function entriesIn(line: string): HistoryEntry[] {
  if (line === "") return [];
  try {
    const parsed = HistoryEntry.safeParse(readJson(line));
    return parsed.success ? [parsed.data] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
