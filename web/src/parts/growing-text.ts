import { MarkdownStream } from "../../../src/lib/markdown-stream.ts";

/** The longest text that is shown as Markdown; the rest is shown as plain text. */
const mostStyled = 100_000;

/**
 * Splits a text into the sections of its Markdown. When the text grows, only the new part is split.
 */
export class GrowingText {
  #read = "";
  #stream = new MarkdownStream();
  #sections: string[] = [];

  read(text: string): { sections: readonly string[]; rest: string } {
    const styled = text.slice(0, mostStyled);
    if (!styled.startsWith(this.#read)) {
      this.#stream = new MarkdownStream();
      this.#sections = [];
      this.#read = "";
    }
    this.#sections = this.#sections.concat(this.#stream.push(styled.slice(this.#read.length)));
    this.#read = styled;
    const last = this.#stream.rest;
    return {
      sections: last === "" ? this.#sections : [...this.#sections, last],
      rest: text.slice(mostStyled),
    };
  }
}
