import { firstCharacters, lastCharacters } from "../lib/cut-text.ts";
import { gapNote } from "../lib/output-text.ts";
import type { SecretStream } from "../lib/secrets.ts";
import type { OutputFile, OutputFiles } from "./output-files.ts";

/** No tool's output is longer than this, in characters. */
export const maxOutputCharacters = 50_000;

/** How much is kept of an output that is too long. Errors and summaries are at the end. */
const headCharacters = 20_000;
const tailCharacters = 29_000;
// The rest of the maximum is for the line in the middle and one about how the command ended.

/**
 * The output of one call while it arrives: its beginning and end in memory, and the whole in a file
 * as soon as it is longer. Memory stays the same for any amount of output, provided that the caller
 * awaits each `push`.
 */
export class OutputCapture {
  readonly #files: OutputFiles;
  readonly #name: string;
  readonly #onOutput: (text: string) => void;
  readonly #mask: SecretStream;
  #characters = 0;
  #newlines = 0;
  #shown = 0;
  #head = "";
  #tail = "";
  #isCut = false;
  #file: OutputFile | undefined;
  #problem: string | undefined;

  constructor(options: { files: OutputFiles; name: string; onOutput(text: string): void }) {
    this.#files = options.files;
    this.#name = options.name;
    this.#onOutput = options.onOutput;
    this.#mask = options.files.secrets.stream();
  }

  async push(text: string): Promise<void> {
    await this.#add(this.#mask.push(text));
  }

  /** Call it once, at the end of the output. */
  async end(): Promise<void> {
    await this.#add(this.#mask.end());
    await this.#keep(async () => this.#file?.close());
  }

  /** The text for a model of the output so far. */
  text(): string {
    if (!this.#isCut) return this.#tail;
    const leftOut = this.#characters - this.#head.length - this.#tail.length;
    const note = { characters: leftOut, lines: this.#lines, whereabouts: this.#whereabouts() };
    return `${this.#head}\n\n${gapNote(note)}\n\n${this.#tail}`;
  }

  /** The last line may lack its newline. */
  get #lines(): number {
    return this.#newlines + (this.#tail.endsWith("\n") ? 0 : 1);
  }

  #whereabouts(): string {
    if (this.#problem) return `the whole could not be kept in a file: ${this.#problem}`;
    if (!this.#file) return "the whole is being written to a file";
    const { path, keptBytes } = this.#file;
    return keptBytes ? `the first ${keptBytes} bytes are in ${path}` : `the whole is in ${path}`;
  }

  async #add(text: string): Promise<void> {
    if (text === "") return;
    this.#show(text);
    this.#characters += text.length;
    this.#newlines += countOf(text, "\n");
    this.#tail += text;
    if (this.#isCut) {
      this.#tail = lastCharacters(this.#tail, tailCharacters);
      await this.#write(text);
    } else if (this.#characters > headCharacters + tailCharacters) {
      const whole = this.#tail;
      this.#isCut = true;
      this.#head = firstCharacters(whole, headCharacters);
      this.#tail = lastCharacters(whole, tailCharacters);
      await this.#keep(async () => {
        this.#file = await this.#files.create(this.#name);
      });
      await this.#write(whole);
    }
  }

  async #write(text: string): Promise<void> {
    await this.#keep(async () => this.#file?.write(text));
  }

  /** A full disk must not fail the command: its output says that the whole is not kept. */
  async #keep(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#problem = error.message;
      const file = this.#file;
      this.#file = undefined;
      await file?.discard();
    }
  }

  /** An observer sees as much as a model, and then a note that there is more. */
  #show(text: string): void {
    const room = maxOutputCharacters - this.#shown;
    if (room <= 0) return;
    this.#shown += text.length;
    this.#onOutput(firstCharacters(text, room));
    if (text.length > room) this.#onOutput("\n… (too long to be shown as it comes)\n");
  }
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count++;
  return count;
}
