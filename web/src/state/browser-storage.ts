/** Values that the browser stores for the page. Without storage, nothing is stored. */
export class BrowserStorage {
  readonly #storage: () => Storage;

  /** Called each time, since reading the property throws if storage is forbidden. */
  constructor(storage: () => Storage) {
    this.#storage = storage;
  }

  /** The key in the browser's storage. */
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
