import { MarkdownStream } from "../../../src/lib/markdown-stream.ts";

/** As much as anybody reads with its styles; what follows is shown as it is written. */
const mostStyled = 100_000;

/** Cuts a text into the sections of its Markdown. Of a text that has grown only what is new is cut. */
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
