import type { Terminal } from "../command.ts";
import { type Key, KeyDecoder } from "./keys.ts";

export interface KeyboardOptions {
  onKeys(keys: readonly Key[]): void;
  /** Called when the terminal closes. */
  onEnd(): void;
  schedule(delayMs: number, run: () => void): () => void;
}

/** An escape character is the Escape key if nothing follows for this long. */
const escapeMs = 40;

/** A paste that has been silent for this long has lost its end marker. */
const pasteMs = 3_000;

const pasteOn = "\x1b[?2004h";
const pasteOff = "\x1b[?2004l";

/** Reads the keys of a terminal until disposed. */
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
    // Restores the terminal however the process ends.
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
