import {
  type Alignment,
  alignmentsOf,
  cellsOf,
  closesFence,
  type Fence,
  headingOf,
  indentOf,
  isBlank,
  isIndentedCode,
  isQuote,
  isRule,
  type ListMarker,
  listMarkerOf,
  openingFence,
  quoted,
  underlineLevel,
} from "./lines.ts";

export interface ListItem {
  marker: string;
  isNumbered: boolean;
  lines: string[];
  isAfterBlank: boolean;
}

/** A part of Markdown; quotes and list items hold lines that are Markdown again. */
export type Block = { isAfterBlank: boolean } & (
  | { type: "paragraph"; lines: string[] }
  | { type: "heading"; level: number; text: string }
  | { type: "code"; info: string; lines: string[] }
  | { type: "quote"; lines: string[] }
  | { type: "list"; items: ListItem[] }
  | { type: "table"; rows: string[][]; alignments: Alignment[] }
  | { type: "rule" }
);

type Found = Block extends infer Each
  ? Each extends Block
    ? Omit<Each, "isAfterBlank">
    : never
  : never;

/** Reads the blocks of `lines` from the first to the last; each line is looked at a few times. */
export class BlockReader {
  readonly #lines: readonly string[];
  readonly #canNest: boolean;
  #at = 0;

  constructor(lines: readonly string[], canNest: boolean) {
    this.#lines = lines;
    this.#canNest = canNest;
  }

  readAll(): Block[] {
    const blocks: Block[] = [];
    let isAfterBlank = false;
    for (let line = this.#line; line !== undefined; line = this.#line) {
      if (isBlank(line)) {
        this.#at++;
        isAfterBlank = true;
        continue;
      }
      blocks.push({ ...this.#read(line), isAfterBlank });
      isAfterBlank = isBlank(this.#lines[this.#at - 1] ?? "x");
    }
    return blocks;
  }

  get #line(): string | undefined {
    return this.#lines[this.#at];
  }

  #read(line: string): Found {
    const marker = this.#canNest ? listMarkerOf(line) : undefined;
    if (marker && marker.indent < 4) return this.#readList(marker);
    const fence = openingFence(line);
    if (fence) return this.#readFence(fence);
    if (isIndentedCode(line)) return this.#readIndentedCode();
    const heading = headingOf(line);
    if (heading) {
      this.#at++;
      return { type: "heading", ...heading };
    }
    if (isRule(line)) {
      this.#at++;
      return { type: "rule" };
    }
    if (this.#canNest && isQuote(line)) return this.#readQuote();
    const alignments = this.#tableHere();
    return alignments ? this.#readTable(alignments) : this.#readParagraph();
  }

  #readFence(fence: Fence): Found {
    const lines = this.#fenced(fence);
    if (lines.length > 1 && closesFence(lines.at(-1) ?? "", fence)) lines.pop();
    const code = lines.slice(1).map((line) => line.slice(Math.min(fence.indent, indentOf(line))));
    return { type: "code", info: fence.info, lines: code };
  }

  /** The lines of a fence that opens here, with those that open and close it. */
  #fenced(fence: Fence): string[] {
    const from = this.#at++;
    while (this.#line !== undefined && !closesFence(this.#line, fence)) this.#at++;
    this.#at = Math.min(this.#at + 1, this.#lines.length);
    return this.#lines.slice(from, this.#at);
  }

  #readIndentedCode(): Found {
    const lines: string[] = [];
    for (let line = this.#line; line !== undefined; line = this.#line) {
      if (!isIndentedCode(line) && !isBlank(line)) break;
      lines.push(line.slice(4));
      this.#at++;
    }
    while (isBlank(lines.at(-1) ?? "x")) lines.pop();
    return { type: "code", info: "", lines };
  }

  #readQuote(): Found {
    const lines: string[] = [];
    for (let line = this.#line; line !== undefined; line = this.#line) {
      if (!isQuote(line) && (isBlank(line) || this.#beginsBlock(line))) break;
      lines.push(quoted(line));
      this.#at++;
    }
    return { type: "quote", lines };
  }

  #readTable(alignments: Alignment[]): Found {
    const rows = [cellsOf(this.#line ?? "")];
    this.#at += 2;
    for (let line = this.#line; line?.includes("|"); line = this.#line) {
      rows.push(cellsOf(line));
      this.#at++;
    }
    return { type: "table", rows, alignments };
  }

  #tableHere(): Alignment[] | undefined {
    const head = this.#line;
    if (!head?.includes("|")) return undefined;
    const alignments = alignmentsOf(this.#lines[this.#at + 1] ?? "");
    return alignments?.length === cellsOf(head).length ? alignments : undefined;
  }

  #readParagraph(): Found {
    const lines = [this.#line ?? ""];
    this.#at++;
    for (let line = this.#line; line !== undefined && !isBlank(line); line = this.#line) {
      const level = underlineLevel(line);
      if (level !== undefined) {
        this.#at++;
        return { type: "heading", level, text: lines.map((each) => each.trim()).join(" ") };
      }
      if (this.#beginsBlock(line) || this.#tableHere()) break;
      lines.push(line);
      this.#at++;
    }
    return { type: "paragraph", lines };
  }

  /** Whether a line ends the paragraph before it. */
  #beginsBlock(line: string): boolean {
    if (openingFence(line) || headingOf(line) || isRule(line)) return true;
    if (!this.#canNest) return false;
    const marker = listMarkerOf(line);
    if (!marker) return isQuote(line);
    // A number at the beginning of a line is likely part of the sentence, except the first of a list.
    return marker.text !== "" && (!marker.isNumbered || /^1[.)]/.test(marker.marker));
  }

  #readList(first: ListMarker): Found {
    const items: ListItem[] = [];
    let isAfterBlank = false;
    for (let marker: ListMarker | undefined = first; marker; marker = this.#siblingHere(first)) {
      const { isNumbered, marker: sign } = marker;
      items.push({ marker: sign, isNumbered, lines: this.#readItem(marker), isAfterBlank });
      isAfterBlank = isBlank(this.#lines[this.#at - 1] ?? "x");
    }
    return { type: "list", items };
  }

  #siblingHere(first: ListMarker): ListMarker | undefined {
    const marker = listMarkerOf(this.#line ?? "");
    return marker && marker.indent < first.indent + 4 ? marker : undefined;
  }

  /** The lines of an item without its marker and indentation. */
  #readItem({ indent, textIndent, text }: ListMarker): string[] {
    const lines: string[] = [];
    const take = (line: string) => lines.push(line.slice(Math.min(indentOf(line), textIndent)));
    let line: string | undefined = text;
    let isAfterBlank = false;
    do {
      const fence = openingFence(line);
      if (fence) {
        const [, ...others] = this.#fenced(fence);
        for (const each of [line, ...others]) take(each);
      } else {
        if (lines.length === 0) lines.push(line);
        else take(line);
        this.#at++;
      }
      isAfterBlank = isBlank(line) && lines.length > 1;
      line = this.#line;
    } while (line !== undefined && this.#belongsToItem(line, indent, isAfterBlank));
    return lines;
  }

  #belongsToItem(line: string, indent: number, isAfterBlank: boolean): boolean {
    if (isBlank(line) || indentOf(line) >= indent + 2) return true;
    return !isAfterBlank && !this.#beginsBlock(line) && !listMarkerOf(line);
  }
}
