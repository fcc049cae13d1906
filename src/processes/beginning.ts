import { firstCharacters } from "../lib/cut-text.ts";
import type { SecretStream } from "../lib/secrets.ts";

/** The beginning of an output while it arrives. What comes behind it is read and dropped, so that nobody waits for its reader. */
export class Beginning {
  readonly #limit: number;
  readonly #mask: SecretStream;
  #text = "";
  #isCut = false;

  constructor(limit: number, mask: SecretStream) {
    this.#limit = limit;
    this.#mask = mask;
  }

  async push(text: string): Promise<void> {
    this.#add(this.#mask.push(text));
  }

  /** Call it once, at the end of the output. */
  async end(): Promise<void> {
    this.#add(this.#mask.end());
  }

  text(): string {
    return this.#text;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  #add(text: string): void {
    const room = this.#limit - this.#text.length;
    if (text.length > room) this.#isCut = true;
    if (room > 0) this.#text += firstCharacters(text, room);
  }
}
