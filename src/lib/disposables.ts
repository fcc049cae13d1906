/** Resources that are closed together: the last one first, and each even if another fails. */
export class Disposables implements AsyncDisposable {
  readonly #opened: (Disposable | AsyncDisposable)[] = [];
  #closing: Promise<void> | undefined;

  /** Adds `resource` to those that are closed, and returns it. */
  use<T extends Disposable | AsyncDisposable>(resource: T): T {
    this.#opened.push(resource);
    return resource;
  }

  /** Throws the first error, after everything has been tried. */
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
