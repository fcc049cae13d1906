/** Values that the browser stores for the page. A browser without storage is no problem. */
export class Kept {
  readonly #storage: () => Storage;

  /** Asked for each time: looking at a storage that is forbidden throws. */
  constructor(storage: () => Storage) {
    this.#storage = storage;
  }

  /** What a browser calls it. */
  nameOf(key: string): string {
    return `troupe-${key}`;
  }

  get(key: string): string | null {
    try {
      return this.#storage().getItem(this.nameOf(key));
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      return null;
    }
  }

  set(key: string, value: string): void {
    try {
      this.#storage().setItem(this.nameOf(key), value);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }
}
