import { Listeners } from "./listeners.ts";
import type { Versioned } from "./record-files.ts";
import type { ChangeReports, RecordStore } from "./record-store.ts";

/** Records in memory, for any number of objects of this process: each hears of every change. */
export class MemoryRecords<T extends Versioned> implements RecordStore<T> {
  readonly #listeners = new Listeners<T>();
  readonly #byId = new Map<string, T>();

  async ids(): Promise<string[]> {
    return [...this.#byId.keys()];
  }

  async read(id: string): Promise<T | undefined> {
    return structuredClone(this.#byId.get(id));
  }

  async readAll(ids: readonly string[]): Promise<T[]> {
    return ids.flatMap((id) => structuredClone(this.#byId.get(id)) ?? []);
  }

  async commit(record: T): Promise<boolean> {
    const { id, version } = record;
    if (version !== (this.#byId.get(id)?.version ?? 0) + 1) return false;
    this.#byId.set(id, structuredClone(record));
    return true;
  }

  async repair(): Promise<void> {}

  changes(): ChangeReports<T> {
    return {
      report: (record) => {
        this.#listeners.emit(structuredClone(record));
        return record;
      },
      add: (listener) => this.#listeners.add(listener),
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
}
