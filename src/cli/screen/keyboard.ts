import type { Terminal } from "../command.ts";
import { type Key, KeyDecoder } from "./keys.ts";

export interface KeyboardOptions {
  /** Called when the terminal gets the keys of the machine, or another window does. */
  onFocus(isFocused: boolean): void;
  onKeys(keys: readonly Key[]): void;
  /** Called when the terminal closes. */
  onEnd(): void;
  schedule(delayMs: number, run: () => void): () => void;
}

/** An escape character is the Escape key if nothing follows for this long. */
const escapeMs = 40;

/** A paste that has been silent for this long has lost its end marker. */
const pasteMs = 3_000;

/** Pastes are marked, changes of focus are told, and keys such as Shift-Enter are told apart where the terminal can. */
const modesOn = "\x1b[?2004h\x1b[?1004h\x1b[>1u";
const modesOff = "\x1b[<u\x1b[?1004l\x1b[?2004l";

/** Reads the keys of a terminal until disposed. */
export class Keyboard implements Disposable {
  readonly #terminal: Terminal;
  readonly #options: KeyboardOptions;
  readonly #decoder = new KeyDecoder();
  readonly #forget: () => void;
  #cancelFlush: (() => void) | undefined;
  /** Whether nothing was read yet. */
  #isFirst = true;

  constructor(terminal: Terminal, options: KeyboardOptions) {
    const { input, output } = terminal;
    this.#terminal = terminal;
    this.#options = options;
    input.setEncoding("utf8");
    // Restores the terminal however the process ends.
    this.#forget = terminal.atExit(() => output.write(modesOff));
    input.on("data", this.#onData);
    input.on("end", options.onEnd);
    this.comeBack();
  }

  [Symbol.dispose](): void {
    const { input } = this.#terminal;
    this.#cancelFlush?.();
    input.off("data", this.#onData);
    input.off("end", this.#options.onEnd);
    this.#forget();
    this.leave();
  }

  /** Gives the terminal back as it was. */
  leave(): void {
    const { input, output } = this.#terminal;
    output.write(modesOff);
    input.setRawMode(false);
    input.pause();
  }

  /** Takes the terminal, whatever its modes are now. */
  comeBack(): void {
    const { input, output } = this.#terminal;
    // A shell may have changed the mode, of which the stream knows nothing.
    input.setRawMode(false);
    input.setRawMode(true);
    output.write(modesOn);
    input.resume();
  }

  #onData = (chunk: string): void => {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const decoder = this.#decoder;
    // What was typed before the start has a line feed for each Enter.
    const isTypedBefore = this.#isFirst && !chunk.includes("\x1b");
    this.#isFirst = false;
    this.#pass(decoder.push(isTypedBefore ? chunk.replaceAll("\n", "\r") : chunk));
    const { schedule } = this.#options;
    if (decoder.isPasting) {
      this.#cancelFlush = schedule(pasteMs, () => this.#pass(decoder.abandonPaste()));
    } else if (decoder.isPending) {
      this.#cancelFlush = schedule(escapeMs, () => this.#pass(decoder.flush()));
    }
  };

  #pass(all: readonly Key[]): void {
    const isAbout = (key: Key, name: string) => key.type === "key" && key.name === name;
    const keys = all.filter((key) => !isAbout(key, "focus") && !isAbout(key, "blur"));
    for (const key of all) if (!keys.includes(key)) this.#options.onFocus(isAbout(key, "focus"));
    if (keys.length > 0) this.#options.onKeys(keys);
  }
}
