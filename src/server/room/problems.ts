const maxProblems = 50;

/** What a person should know, each once, the newest last. */
export class Problems {
  #texts: readonly string[] = [];

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** False where it is known. */
  add(text: string): boolean {
    if (this.#texts.includes(text)) return false;
    this.#texts = [...this.#texts, text].slice(-maxProblems);
    return true;
  }
}
