/** What the browser keeps for the page. A browser that keeps nothing is no obstacle. */
export class Kept {
  readonly #storage: () => Storage;

  /** Asked for each time: looking at a storage that is forbidden throws. */
  constructor(storage: () => Storage) {
    this.#storage = storage;
  }

  get(key: string): string | null {
    try {
      return this.#storage().getItem(`troupe-${key}`);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      return null;
    }
  }

  set(key: string, value: string): void {
    try {
      this.#storage().setItem(`troupe-${key}`, value);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }
}
