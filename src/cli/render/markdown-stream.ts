import { Sections } from "./markdown/sections.ts";

/**
 * Cuts Markdown that arrives in pieces into blocks which no later text can change. Each block can
 * be rendered alone: the renderings with one empty line between them are the rendering of the whole.
 */
export class MarkdownStream {
  readonly #sections = new Sections();
  /** The line that has no end yet. */
  #line = "";

  /** The source of the blocks that `delta` completes. */
  push(delta: string): string[] {
    const lines = delta.split("\n");
    const last = lines.pop() ?? "";
    const complete = lines.flatMap((line) => {
      const whole = `${this.#line}${line}\n`;
      this.#line = "";
      return this.#sections.add(whole);
    });
    this.#line += last;
    return complete;
  }

  /** The source of what is not complete yet. */
  get rest(): string {
    return this.#sections.rest.join("") + this.#line;
  }

  /** The source of what is left when no more comes. */
  end(): string[] {
    const line = this.#line;
    this.#line = "";
    return [...(line === "" ? [] : this.#sections.add(line)), ...this.#sections.end()];
  }
}
