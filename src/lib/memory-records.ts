import { Listeners } from "./listeners.ts";

/** Records in memory for any number of objects of this process: each is told of every change. */
export class MemoryRecords<Id, T extends { id: Id }> {
  readonly listeners = new Listeners<T>();
  #byId: ReadonlyMap<Id, T> = new Map();

  /** Not to be changed; a later change makes another map. */
  get byId(): ReadonlyMap<Id, T> {
    return this.#byId;
  }

  put(record: T): T {
    this.#byId = new Map(this.#byId).set(record.id, record);
    this.listeners.emit(structuredClone(record));
    return structuredClone(record);
  }
}
