import type { FilePath } from "../lib/file-path.ts";
import { LineReader } from "../lib/line-reader.ts";
import { listSegments, segmentPath } from "../lib/segments.ts";
import type { MessageId } from "../protocol/ids.ts";
import { type DecodeOptions, idsIn, maxLineBytes } from "./mail-line.ts";
import type { MailSource } from "./mail-source.ts";

/** A log, up to a byte. */
interface Log {
  generation: number;
  path: FilePath;
  upTo: number;
}

const whole = Number.POSITIVE_INFINITY;

export interface SeenIdsOptions extends Pick<DecodeOptions, "owner" | "signature"> {
  /** The directory of the segments. */
  directory: FilePath;
  /** What the transcript has already. */
  delivered: ReadonlySet<MessageId>;
}

/**
 * What a reader has had, so that a line that is there twice is delivered once: a writer that met a
 * rotation wrote it again, or somebody copied it.
 *
 * The ids of the newest logs are in memory. A message that claims to be older than those is looked
 * for in all of history, which is rare and slow.
 */
export class SeenIds {
  readonly #options: SeenIdsOptions;
  readonly #generations = new Map<number, Set<string>>();
  readonly #earlier = new Set<MessageId>();
  /** The first of the oldest log in memory. */
  #oldest: string | undefined;
  /** The ids of older logs, once they were needed. */
  #past: Set<string> | undefined;

  constructor(options: SeenIdsOptions) {
    this.#options = options;
  }

  add(generation: number, id: MessageId): void {
    this.#of(generation).add(id);
  }

  /** Takes `ids` for seen, wherever they were. */
  remember(ids: Iterable<MessageId>): void {
    for (const id of ids) this.#earlier.add(id);
  }

  async has(id: MessageId): Promise<boolean> {
    if (this.#isRemembered(id)) return true;
    if (!this.#isOlderThanAll(id)) return false;
    this.#past ??= await this.#readPast();
    return this.#past.has(id);
  }

  /** True when nothing has to be looked up to know that this is the first time. */
  isPlainlyNew(id: MessageId): boolean {
    return !this.#isRemembered(id) && !this.#isOlderThanAll(id);
  }

  /**
   * Remembers what was taken from the logs that are read on, and all of those between them: what
   * is still to come of the oldest may be in any that follows.
   */
  async collect(sources: readonly MailSource[]): Promise<void> {
    const { directory } = this.#options;
    const logs = new Map(sources.map((source) => [source.generation, source]));
    const [oldest = 0] = logs.keys();
    for (const generation of await listSegments(directory)) {
      if (generation < oldest || logs.has(generation)) continue;
      await this.#collect({ generation, path: segmentPath(directory, generation), upTo: whole });
    }
    for (const { generation, path, settled } of sources) {
      await this.#collect({ generation, path, upTo: settled.offset });
    }
  }

  /** Forgets the ids of logs before `generation`; they can still be looked up. */
  forgetBefore(generation: number): void {
    for (const known of [...this.#generations.keys()]) {
      if (known >= generation) continue;
      this.#generations.delete(known);
      this.#oldest = undefined;
      this.#past = undefined;
    }
  }

  async #collect(log: Log): Promise<void> {
    await this.#read(log, this.#of(log.generation));
  }

  #of(generation: number): Set<string> {
    const ids = this.#generations.get(generation) ?? new Set();
    this.#generations.set(generation, ids);
    return ids;
  }

  #isRemembered(id: MessageId): boolean {
    if (this.#options.delivered.has(id) || this.#earlier.has(id)) return true;
    for (const ids of this.#generations.values()) if (ids.has(id)) return true;
    return false;
  }

  /** An id begins with the time at which it was made; those written by hand have no time. */
  #isOlderThanAll(id: MessageId): boolean {
    this.#oldest ??= this.#findOldest();
    return this.#oldest !== undefined && !id.startsWith("hand-") && id < this.#oldest;
  }

  #findOldest(): string | undefined {
    for (const generation of [...this.#generations.keys()].sort((a, b) => a - b)) {
      for (const id of this.#of(generation)) return id;
    }
    return undefined;
  }

  async #readPast(): Promise<Set<string>> {
    const ids = new Set<string>();
    const { directory } = this.#options;
    for (const generation of await listSegments(directory)) {
      if (this.#generations.has(generation)) continue;
      const path = segmentPath(directory, generation);
      await this.#read({ generation, path, upTo: whole }, ids);
    }
    return ids;
  }

  async #read({ generation, path, upTo }: Log, into: Set<string>): Promise<void> {
    const options = { ...this.#options, generation, modified: new Date(0) };
    await using reader = await LineReader.open(path, { maxLineBytes });
    for await (const lines of reader?.batches() ?? []) {
      for (const line of lines) {
        if (line.offset >= upTo) return;
        for (const id of idsIn(line, options)) into.add(id);
      }
    }
  }
}
