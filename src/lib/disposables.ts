/** What was opened, to be closed together: the last one first, and each though another fails. */
export class Disposables implements AsyncDisposable {
  readonly #opened: (Disposable | AsyncDisposable)[] = [];
  #closing: Promise<void> | undefined;

  /** Returns `resource`, which is closed with all others from now on. */
  use<T extends Disposable | AsyncDisposable>(resource: T): T {
    this.#opened.push(resource);
    return resource;
  }

  /** Throws the first of the errors there were, once everything has been tried. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const errors: unknown[] = [];
    for (const resource of [...this.#opened].reverse()) {
      try {
        if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]();
        else resource[Symbol.dispose]();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
