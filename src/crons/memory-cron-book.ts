import type { CronEntry, CronId } from "../protocol/cron.ts";
import { type CronBook, oldestFirst } from "./cron-book.ts";

/** A book for tests and single-process teams. Keeps every promise except surviving a crash. */
export class MemoryCronBook implements CronBook {
  readonly #entries = new Map<CronId, CronEntry>();

  async put(entry: CronEntry): Promise<void> {
    this.#entries.set(entry.id, structuredClone(entry));
  }

  async list(): Promise<CronEntry[]> {
    return structuredClone([...this.#entries.values()]).sort(oldestFirst);
  }

  async remove(id: CronId): Promise<void> {
    this.#entries.delete(id);
  }
}
