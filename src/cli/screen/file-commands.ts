import type { TeamCommand } from "../../team/team-commands.ts";
import type { CompletableCommand } from "./completion.ts";

/** How long a list is used before it is made again. */
const freshMs = 5_000;

interface FileCommandsOptions {
  list(): Promise<readonly TeamCommand[]>;
  monotonicMs(): number;
  /** Called when the list is there. */
  onChange(): void;
  onError(error: unknown): void;
}

/** The commands that files define, as of a few seconds ago. */
export class FileCommands {
  readonly #options: FileCommandsOptions;
  #commands: readonly CompletableCommand[] = [];
  #listedMs: number | undefined;

  constructor(options: FileCommandsOptions) {
    this.#options = options;
  }

  /** What is known now. If that is nothing, or old, a new list is made meanwhile. */
  get all(): readonly CompletableCommand[] {
    const nowMs = this.#options.monotonicMs();
    if (this.#listedMs === undefined || nowMs - this.#listedMs > freshMs) {
      this.#listedMs = nowMs;
      this.#list().catch((error: unknown) => this.#options.onError(error));
    }
    return this.#commands;
  }

  async #list(): Promise<void> {
    const listed = await this.#options.list();
    this.#commands = listed.map(({ name }) => ({ name, words: [], takesFiles: true }));
    this.#options.onChange();
  }
}
