interface KnownModelsOptions {
  /** The ids of the models that can be used. */
  list(): Promise<readonly string[]>;
  /** Called when the list is there. */
  onChange(): void;
}

/** The models that a person may mean. They are listed when they are needed for the first time. */
export class UsableModels {
  readonly #options: KnownModelsOptions;
  #ids: readonly string[] = [];
  #listing: Promise<void> | undefined;

  constructor(options: KnownModelsOptions) {
    this.#options = options;
  }

  /** What is known now. If that is nothing, the list is made meanwhile. */
  get ids(): readonly string[] {
    this.#listing ??= this.#list();
    return this.#ids;
  }

  async #list(): Promise<void> {
    this.#ids = await this.#options.list();
    this.#options.onChange();
  }
}
