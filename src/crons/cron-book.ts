import type { CronEntry, CronId } from "../protocol/cron.ts";

/**
 * Where the entries of a timetable are kept. Only the process that runs the team writes.
 *
 * Every backend promises, and src/testing/conformance/cron-book.ts checks, that:
 * - once a change resolves it survives a crash;
 * - what is listed is exactly what was put and not removed.
 */
export interface CronBook {
  /** Keeps an entry, in place of an earlier one of the same id. */
  put(entry: CronEntry): Promise<void>;
  /** Oldest first. */
  list(): Promise<CronEntry[]>;
  /** Removing what is not there changes nothing. */
  remove(id: CronId): Promise<void>;
}

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

export function oldestFirst(a: CronEntry, b: CronEntry): number {
  return Date.parse(a.created_at) - Date.parse(b.created_at) || a.id.localeCompare(b.id);
}
