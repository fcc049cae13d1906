import type { Versioned } from "./record-files.ts";

/** Small records, changed by compare-and-set: each change makes the next version of a record. */
export interface RecordStore<T extends Versioned> {
  /** The names of all records there are or were, in no order. */
  ids(): Promise<string[]>;
  /** The newest version. */
  read(id: string): Promise<T | undefined>;
  /** As `read`, of each of `ids` that there is, in their order. */
  readAll(ids: readonly string[]): Promise<T[]>;
  /** Makes `record` the newest version. False when another writer has made that version first. */
  commit(record: T): Promise<boolean>;
  /** Repairs what a crashed writer left. Only for a process that knows that it writes alone. */
  repair(): Promise<void>;
  /** Reports changes by any process. `read` returns a record in the form for listeners. */
  changes(read: (id: string) => Promise<T | undefined>): ChangeReports<T>;
}

export interface ChangeReports<T> extends AsyncDisposable {
  /** To be called after a change by this process; returns `record`. */
  report(record: T): T;
  add(listener: (record: T) => void): () => void;
}
