import { cp, readdir } from "node:fs/promises";
import { TeamError } from "../src/errors.ts";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import type { FaultyFileSystem } from "../test/support/faulty-file-system.ts";
import type { Trial } from "./sweep.ts";

/** A store, and one change of it. The change is always made completely or not at all. */
export interface RecordStory<Store> {
  /** Opens the store as its owner does after a start, with repairs. */
  open(directory: string, onDamage: (problem: string) => void): Promise<Store>;
  begin(store: Store): Promise<void>;
  change(store: Store): Promise<void>;
  /** One line that distinguishes a changed store from an unchanged one. */
  look(store: Store): Promise<string>;
  before: string;
  after: string;
  /** Whether opening it removes unfinished files of a dead process. */
  isTidied: boolean;
  /** Uses the store in every way that the change forbids or allows, and returns the faults. */
  probe(store: Store): Promise<string[]>;
}

export class RecordTrial<Store> implements Trial {
  readonly #directory: string;
  readonly #faulty: FaultyFileSystem;
  readonly #story: RecordStory<Store>;
  readonly #store: Store;
  #outcome: "returned" | "threw" | "died" = "died";
  #surprise: unknown;

  private constructor(options: RecordTrialOptions<Store>, store: Store) {
    this.#directory = options.directory;
    this.#faulty = options.faulty;
    this.#story = options.story;
    this.#store = store;
  }

  static async prepare<Store>(options: RecordTrialOptions<Store>): Promise<RecordTrial<Store>> {
    const { story, directory } = options;
    const store = await story.open(directory, () => undefined);
    await story.begin(store);
    return new RecordTrial(options, store);
  }

  async act(): Promise<void> {
    try {
      await this.#story.change(this.#store);
      this.#faulty.assertAlive();
      this.#outcome = "returned";
    } catch (error) {
      this.#faulty.assertAlive();
      this.#outcome = "threw";
      if (!isTold(error)) this.#surprise = error;
    }
  }

  /** A failed change is tried again: it then succeeds, or was done before and is refused. */
  async goOn(): Promise<void> {
    if (this.#outcome === "returned") return;
    try {
      await this.#story.change(this.#store);
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
    }
    this.#outcome = "returned";
  }

  async recover(): Promise<void> {
    await this.#story.open(this.#directory, () => undefined);
  }

  async violations(): Promise<string[]> {
    const { before, after, look, probe, open } = this.#story;
    const found: string[] = this.#surprise ? [`threw ${this.#surprise}`] : [];
    await using copy = await temporaryDirectory();
    await cp(this.#directory, copy.path, { recursive: true, preserveTimestamps: true });
    const store = await open(copy.path, (problem) => found.push(problem));
    const state = await look(store);
    if (state !== before && state !== after) found.push(`the store is ${state}`);
    if (state !== after && this.#outcome === "returned") found.push("a change is lost");
    found.push(...(await probe(store)));
    return [...found, ...(this.#story.isTidied ? await temporariesIn(copy.path) : [])];
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

async function temporariesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  const left = names.filter((name) => name.endsWith(".tmp"));
  return left.map((name) => `${name} is left behind`);
}

export interface RecordTrialOptions<Store> {
  directory: string;
  faulty: FaultyFileSystem;
  story: RecordStory<Store>;
}

/** True for an error with a clear message: ours, or the system's. */
export function isTold(error: unknown): boolean {
  return error instanceof TeamError || (error instanceof Error && "code" in error);
}
