/** Records by key, each with the revision at which it last changed. */
export class Keyed<T> {
  readonly #records = new Map<string, { value: T; text: string; revision: number }>();

  get size(): number {
    return this.#records.size;
  }

  get(key: string): T | undefined {
    return this.#records.get(key)?.value;
  }

  keys(): string[] {
    return [...this.#records.keys()];
  }

  /** In the order in which they came. */
  values(): T[] {
    return [...this.#records.values()].map(({ value }) => value);
  }

  /** Takes `value` in as of `revision`. False when it is what is known already. */
  set(key: string, value: T, revision: number): boolean {
    const text = JSON.stringify(value);
    if (this.#records.get(key)?.text === text) return false;
    this.#records.set(key, { value, text, revision });
    return true;
  }

  delete(key: string): boolean {
    return this.#records.delete(key);
  }

  /** What has changed since `revision`. */
  since(revision: number): T[] {
    const found: T[] = [];
    for (const record of this.#records.values()) {
      if (record.revision > revision) found.push(record.value);
    }
    return found;
  }
}
