import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { canonicalJson } from "./canonical-json.ts";
import { type FilePath, within } from "./file-path.ts";
import { listNames } from "./files.ts";
import { Listeners } from "./listeners.ts";
import { idsOfCopies, type Versioned } from "./record-files.ts";
import { looksPerTurn, statsOf } from "./record-look.ts";
import { Serial } from "./serial.ts";
import type { DirectoryChanges } from "./wake-source.ts";

export interface RecordChangesOptions<T> {
  directory: FilePath;
  /** Without it, only changes of this process are reported. */
  watch: DirectoryChanges | undefined;
  /** The record as it is now; undefined if there is none. */
  read(id: string): Promise<T | undefined>;
  onDamage(problem: string): void;
}

/**
 * Reports every change of the records in one directory, by any process: changes of this process at
 * once, others as soon as the directory's watch reports them. A change costs one reading of that
 * record, however many others there are.
 */
export class RecordChanges<T extends Versioned> implements AsyncDisposable {
  readonly #options: RecordChangesOptions<T>;
  readonly #listeners = new Listeners<T>();
  /** The last reported version of each record that has changed. */
  readonly #reported = new Map<string, { version: number; digest: string }>();
  readonly #due = new Set<string>();
  readonly #serial = new Serial();
  readonly #stopWatching: (() => void) | undefined;
  /** Records whose files are older have been read. */
  #sinceMs: number;

  constructor(options: RecordChangesOptions<T>) {
    this.#options = options;
    this.#sinceMs = this.#directoryMs();
    this.#stopWatching = options.watch?.subscribeAll((fileName) => {
      if (fileName === undefined) this.#run(() => this.#findChanged());
      else this.#look(idsOfCopies([fileName]));
    });
  }

  add(listener: (record: T) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Reports `record` to all listeners, unless they know it or a newer version. */
  report(record: T): T {
    const { id, version } = record;
    const digest = createHash("sha256").update(canonicalJson(record)).digest("base64");
    const last = this.#reported.get(id);
    if (last && (version < last.version || digest === last.digest)) return record;
    this.#reported.set(id, { version, digest });
    this.#listeners.emit(record);
    return record;
  }

  /** Resolves when nothing is being read: the directory may then be closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopWatching?.();
    this.#due.clear();
    await this.#serial.finished();
  }

  #look(ids: readonly string[]): void {
    if (ids.length === 0) return;
    for (const id of ids) this.#due.add(id);
    this.#run(() => this.#lookAtDue());
  }

  /** A record that becomes due again while it is being read is read again. */
  async #lookAtDue(): Promise<void> {
    for (const id of this.#due) {
      this.#due.delete(id);
      // An editor empties a file before it writes it, which is the next event.
      if (statsOf(within(this.#options.directory, `${id}.json`))?.size === 0) continue;
      const record = await this.#options.read(id);
      if (record) this.report(record);
    }
  }

  /** Compares the times of all files: only if the system did not say which one has changed. */
  async #findChanged(): Promise<void> {
    const { directory } = this.#options;
    const startedMs = this.#directoryMs();
    const ids = idsOfCopies(await listNames(directory));
    for (const [index, id] of ids.entries()) {
      const stats = statsOf(within(directory, `${id}.json`));
      if (stats && Math.max(stats.mtimeMs, stats.ctimeMs) >= this.#sinceMs) this.#due.add(id);
      if (index % looksPerTurn === looksPerTurn - 1) await setImmediate();
    }
    this.#sinceMs = startedMs;
    await this.#lookAtDue();
  }

  #directoryMs(): number {
    return statsOf(this.#options.directory)?.mtimeMs ?? 0;
  }

  #run(work: () => Promise<void>): void {
    const { directory, onDamage } = this.#options;
    this.#serial
      .run(work)
      .catch((error: unknown) =>
        onDamage(`Changes in ${directory} made elsewhere cannot be read: ${String(error)}`),
      );
  }
}
