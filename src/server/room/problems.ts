import { firstCharacters } from "../../lib/cut-text.ts";

const maxProblems = 50;
const maxCharacters = 2_000;

/** What a person should know, each once, the newest last. */
export class Problems {
  #texts: readonly string[] = [];

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** False where it is known. */
  add(whole: string): boolean {
    const text = firstCharacters(whole, maxCharacters);
    if (this.#texts.includes(text)) return false;
    this.#texts = [...this.#texts, text].slice(-maxProblems);
    return true;
  }
}
