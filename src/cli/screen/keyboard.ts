import type { Terminal } from "../command.ts";
import { type Key, KeyDecoder } from "./keys.ts";

export interface KeyboardOptions {
  onKeys(keys: readonly Key[]): void;
  /** The terminal is gone. */
  onEnd(): void;
  schedule(delayMs: number, run: () => void): () => void;
}

/** An Escape alone is one when nothing has followed for so long. */
const escapeMs = 40;

/** A paste of which nothing has come for so long has lost its end. */
const pasteMs = 3_000;

const pasteOn = "\x1b[?2004h";
const pasteOff = "\x1b[?2004l";

/** The keys of a terminal, one by one, for as long as it is not disposed. */
export class Keyboard implements Disposable {
  readonly #terminal: Terminal;
  readonly #options: KeyboardOptions;
  readonly #decoder = new KeyDecoder();
  readonly #forget: () => void;
  #cancelFlush: (() => void) | undefined;

  constructor(terminal: Terminal, options: KeyboardOptions) {
    const { input, output } = terminal;
    this.#terminal = terminal;
    this.#options = options;
    input.setEncoding("utf8");
    input.setRawMode(true);
    output.write(pasteOn);
    // However the process ends, the terminal is as it was.
    this.#forget = terminal.atExit(() => output.write(pasteOff));
    input.on("data", this.#onData);
    input.on("end", options.onEnd);
    input.resume();
  }

  [Symbol.dispose](): void {
    const { input, output } = this.#terminal;
    this.#cancelFlush?.();
    input.off("data", this.#onData);
    input.off("end", this.#options.onEnd);
    input.setRawMode(false);
    input.pause();
    this.#forget();
    output.write(pasteOff);
  }

  #onData = (chunk: string): void => {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const decoder = this.#decoder;
    this.#pass(decoder.push(chunk));
    const { schedule } = this.#options;
    if (decoder.isPasting) {
      this.#cancelFlush = schedule(pasteMs, () => this.#pass(decoder.abandonPaste()));
    } else if (decoder.isPending) {
      this.#cancelFlush = schedule(escapeMs, () => this.#pass(decoder.flush()));
    }
  };

  #pass(keys: readonly Key[]): void {
    if (keys.length > 0) this.#options.onKeys(keys);
  }
}
