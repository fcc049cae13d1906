/** Records by key, each with the revision at which it last changed. */
export class RecordTable<T> {
  readonly #keyOf: (record: T) => string;
  readonly #records = new Map<string, { record: T; text: string; revision: number }>();

  constructor(keyOf: (record: T) => string) {
    this.#keyOf = keyOf;
  }

  get(key: string): T | undefined {
    return this.#records.get(key)?.record;
  }

  /** The records in the order in which they came. */
  values(): T[] {
    return [...this.#records.values()].map(({ record }) => record);
  }

  /** Stores `record` as of `revision`. False if it is known already. */
  set(record: T, revision: number): boolean {
    const key = this.#keyOf(record);
    const text = JSON.stringify(record);
    if (this.#records.get(key)?.text === text) return false;
    this.#records.set(key, { record, text, revision });
    return true;
  }

  delete(key: string): boolean {
    return this.#records.delete(key);
  }

  /** Drops all other records. False if there are none. */
  keepOnly(keys: ReadonlySet<string>): boolean {
    const gone = [...this.#records.keys()].filter((key) => !keys.has(key));
    for (const key of gone) this.#records.delete(key);
    return gone.length > 0;
  }

  since(revision: number): T[] {
    return [...this.#records.values()].flatMap((each) =>
      each.revision > revision ? [each.record] : [],
    );
  }
}
