/**
 * Cuts Markdown that arrives in pieces into sections, so that a long text is parsed once and not
 * again with every piece. No later text changes a section, and each can be parsed alone. A section
 * ends at a blank line, and before and after a heading or a fence; lists and indented code continue
 * after blank lines.
 */
export class MarkdownStream {
  /** The lines of the section that is not complete, each with its newline. */
  #lines: string[] = [];
  #hasText = false;
  /** The marks that opened the current fence. */
  #fence: string | undefined;
  /**
   * Set in a list or indented code: lines with at least this indentation still belong to it after a
   * blank line.
   */
  #goesOnFrom: number | undefined;
  #isAfterBlank = false;
  /** The line that is not complete. */
  #line = "";

  /** The sections of a whole text. */
  static sectionsOf(source: string): string[] {
    const stream = new MarkdownStream();
    return [...stream.push(source), ...stream.end()];
  }

  /** The sections that `delta` completes. */
  push(delta: string): string[] {
    const lines = delta.split("\n");
    const last = lines.pop() ?? "";
    const complete = lines.flatMap((line) => {
      const whole = `${this.#line}${line}\n`;
      this.#line = "";
      return this.#add(whole);
    });
    this.#line += last;
    return complete;
  }

  /** The source of the section that is not complete. */
  get rest(): string {
    return this.#lines.join("") + this.#line;
  }

  /** The end of `rest`, kept short because it is drawn again with every piece. */
  get tail(): string {
    const [first = ""] = this.#lines;
    const isWhole = this.#lines.length <= tailLines;
    const opening = this.#fence !== undefined && !isWhole ? first : "";
    const lines = isWhole ? this.#lines : this.#lines.slice(-tailLines);
    return opening + (lines.join("") + this.#line).slice(-tailLength);
  }

  /** The remaining sections, at the end of the text. */
  end(): string[] {
    const line = this.#line;
    this.#line = "";
    return [...(line === "" ? [] : this.#add(line)), ...this.#cut()];
  }

  #add(line: string): string[] {
    const text = line.replace(/\r?\n$/, "");
    if (this.#fence) return this.#addToFence(line, text);
    if (/^[ \t]*$/.test(text)) return this.#addBlank(line);

    const before = this.#beginsAnew(text) ? this.#cut() : [];
    if (!this.#hasText && indentOf(text) >= codeIndent) this.#goesOnFrom = codeIndent;
    else if (this.#isListItem(text)) this.#goesOnFrom = listIndent;
    this.#lines.push(line);
    this.#hasText = true;
    this.#isAfterBlank = false;
    this.#fence = openingFence.exec(text)?.[1];
    const isHeading = this.#goesOnFrom === undefined && heading.test(text);
    return isHeading ? [...before, ...this.#cut()] : before;
  }

  #cut(): string[] {
    const section = this.#hasText ? [this.#lines.join("")] : [];
    this.#lines = [];
    this.#hasText = false;
    this.#fence = undefined;
    this.#goesOnFrom = undefined;
    this.#isAfterBlank = false;
    return section;
  }

  #addToFence(line: string, text: string): string[] {
    this.#lines.push(line);
    if (!this.#fence || !closes(text, this.#fence)) return [];
    this.#fence = undefined;
    return this.#goesOnFrom === undefined ? this.#cut() : [];
  }

  #addBlank(line: string): string[] {
    this.#lines.push(line);
    this.#isAfterBlank = true;
    return this.#goesOnFrom === undefined ? this.#cut() : [];
  }

  #beginsAnew(text: string): boolean {
    if (!this.#hasText) return false;
    const indent = indentOf(text);
    if (this.#goesOnFrom === codeIndent) return indent < codeIndent;
    if (this.#goesOnFrom !== undefined && indent >= listIndent) return this.#isLong;
    if (this.#goesOnFrom !== undefined && (this.#isAfterBlank || this.#isLong)) return true;
    if (openingFence.test(text) || heading.test(text)) return true;
    // A row of a table needs its head, and tables are parsed quickly.
    return this.#isLong && !text.startsWith("|");
  }

  /** The time to parse a list grows faster than the list, so a long one is parsed in parts. */
  get #isLong(): boolean {
    return this.#lines.length >= longSection;
  }

  #isListItem(text: string): boolean {
    return listItem.test(text) && (this.#goesOnFrom !== undefined || indentOf(text) < codeIndent);
  }
}

const longSection = 400;
const tailLines = 200;
const tailLength = 20_000;

/** How far a line after a blank one must be indented to belong to the list before it. */
const listIndent = 2;
const codeIndent = 4;

const openingFence = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/;
const heading = /^ {0,3}#{1,6}[ \t]/;
const listItem = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;

function closes(text: string, fence: string): boolean {
  const marks = text.replace(/^[ \t]+|[ \t]+$/g, "");
  return marks.length >= fence.length && marks === fence[0]?.repeat(marks.length);
}

/** The column at which the text of a line begins. */
function indentOf(text: string): number {
  let column = 0;
  for (const sign of text) {
    if (sign === " ") column++;
    else if (sign === "\t") column += codeIndent - (column % codeIndent);
    else break;
  }
  return column;
}
