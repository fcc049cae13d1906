import { createInterface, type Interface } from "node:readline";

/** An input line. */
export interface InputText {
  text: string;
  /** True if a person typed it at a terminal; false for a file, a program or an argument. */
  isTyped: boolean;
}

/** The input lines, across all teams of one start. */
export class TypedLines implements Disposable {
  /** True if a person types them at a terminal; false for a file or a program. */
  readonly isTyped: boolean;
  readonly #interface: Interface;
  readonly #iterator: AsyncIterator<string>;

  /** A line that comes before the others. */
  #first: string | undefined;

  constructor(
    { input }: { input: NodeJS.ReadableStream & { isTTY?: boolean } },
    { first, signal }: { first?: string | undefined; signal: AbortSignal },
  ) {
    this.#first = first;
    this.isTyped = input.isTTY === true;
    this.#interface = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    this.#iterator = this.#interface[Symbol.asyncIterator]();
    if (signal.aborted) this.#interface.close();
    signal.addEventListener("abort", () => this.#interface.close(), { once: true });
  }

  /** The next line; undefined when there are no more. */
  async next(): Promise<InputText | undefined> {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) return { text: first, isTyped: false };
    const { value, done } = await this.#iterator.next();
    return done ? undefined : { text: value, isTyped: this.isTyped };
  }

  [Symbol.dispose](): void {
    this.#interface.close();
  }
}
