/**
 * The web's `Headers` as far as the providers' SDKs use it: case-insensitive names, one value each.
 * Node's own class loads all of `fetch`, which takes a third of a start.
 */
export class PlainHeaders {
  readonly #values = new Map<string, string>();

  constructor(entries: Iterable<[string, string]> | Readonly<Record<string, string>> = {}) {
    const pairs = Symbol.iterator in entries ? entries : Object.entries(entries);
    for (const [name, value] of pairs as Iterable<[string, string]>) this.set(name, value);
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), String(value));
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  forEach(call: (value: string, name: string) => void): void {
    for (const [name, value] of this) call(value, name);
  }

  /** In the order of their names, like the web's. */
  entries(): IterableIterator<[string, string]> {
    return [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1)).values();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}
