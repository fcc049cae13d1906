import type { Parser } from "htmlparser2";

/** What a page says, without what only a browser needs. */
export interface PageText {
  readonly title: string;
  /** In the style of Markdown: headings, lists, links with their whole address, code. */
  readonly text: string;
  /** True if the rest of the page is left out, because it is nested too deeply. */
  readonly isCut: boolean;
}

/** What is read between two looks at other work, so that a large page keeps nobody waiting. */
const pieceCharacters = 32_768;

/** No page that is written for people is deeper; a deeper one makes each closing tag slow. */
const maxDepth = 1_000;

/** Less than this in an element of the main content is not the content. */
const leastMain = 200;

/** The text of a page in HTML, whose links count from `base`. */
export async function pageText(html: string, base: string): Promise<PageText> {
  const { Parser: HtmlParser } = await import("htmlparser2");
  const writer = new TextWriter(base);
  const parser: Parser = new HtmlParser({
    onopentag: (name, attributes) => writer.open(name, attributes),
    ontext: (text) => writer.write(text),
    onclosetag: (name) => writer.close(name),
  });
  for (let at = 0; at < html.length && !writer.isFull; at += pieceCharacters) {
    try {
      parser.write(html.slice(at, at + pieceCharacters));
    } catch (error) {
      if (error !== tooDeep) throw error;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  // What is still open is closed.
  if (!writer.isFull) parser.end();
  return writer.result();
}

/** Ends the reading from inside the parser. */
const tooDeep = new Error("The page is nested too deeply");

/** Elements whose content is not for reading. */
const unread = new Set(
  "script style noscript template svg math iframe object canvas select button".split(" "),
);

/** Elements that begin on a line of their own. */
const blocks = new Set(
  `address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form
  header hgroup hr li main nav ol p pre section summary table tbody tfoot thead tr ul h1 h2 h3 h4 h5 h6`.split(
    /\s+/,
  ),
);

/** Elements with an empty line before and after them. */
const apart = new Set(
  "blockquote dl figure ol p pre section table ul h1 h2 h3 h4 h5 h6".split(" "),
);

/** A link of more is around a large part of the page. */
const maxLinkParts = 40;

const headings = /^h([1-6])$/;

class TextWriter {
  readonly #base: string;
  #title = "";
  readonly #parts: string[] = [];
  /** The last characters of the text: to look at the text itself would copy all of it. */
  #tail = "";
  /** Line breaks that the next word is behind. */
  #breaks = 0;
  #isSpaced = false;
  #depth = 0;
  #unread = 0;
  #preformatted = 0;
  #isInTitle = false;
  #hasTitle = false;
  /** The links that are open, each with the part that its text begins with. */
  readonly #links: { address: string; from: number }[] = [];
  /** How many of each list's items were numbered; undefined for a list with bullets. */
  readonly #lists: (number | undefined)[] = [];
  /** The parts that are the main content. */
  #main: { from: number; to: number } | undefined;
  #openMain: { name: string; from: number; depth: number } | undefined;
  isFull = false;

  constructor(base: string) {
    this.#base = base;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth++;
    if (this.#depth > maxDepth) {
      this.isFull = true;
      throw tooDeep;
    }
    if (unread.has(name)) this.#unread++;
    if (this.#unread > 0) return;
    if (name === "title") this.#isInTitle = true;
    this.#break(name);
    this.#begin(name, attributes);
  }

  #begin(name: string, attributes: Readonly<Record<string, string>>): void {
    const [, level] = headings.exec(name) ?? [];
    if (level) this.#mark(`${"#".repeat(Number(level))} `);
    switch (name) {
      case "main":
      case "article":
        this.#openMain ??= { name, from: this.#parts.length, depth: this.#depth };
        return;
      case "a":
        this.#links.push({ address: this.#addressOf(attributes.href), from: this.#parts.length });
        return;
      case "ul":
      case "ol":
        this.#lists.push(name === "ol" ? 0 : undefined);
        return;
      case "li":
        this.#mark(this.#itemMark());
        return;
      case "pre":
        this.#mark("```\n");
        this.#preformatted++;
        return;
      case "td":
      case "th":
        if (!this.#tail.endsWith("\n") && this.#breaks === 0) this.#mark(" | ");
        return;
      case "br":
        this.#breaks = Math.max(this.#breaks, 1);
        return;
      case "img":
        if (attributes.alt?.trim()) this.write(`[image: ${attributes.alt}]`);
        return;
    }
  }

  write(text: string): void {
    if (this.#isInTitle) {
      if (!this.#hasTitle) this.#title = `${this.#title}${text}`.slice(0, 500);
      return;
    }
    if (this.#unread > 0) return;
    if (this.#preformatted > 0) {
      this.#mark(text);
      return;
    }
    const words = text.replace(/[\s\u00a0]+/g, " ");
    const isSpaced = words.startsWith(" ") || this.#isSpaced;
    const shown = words.trim();
    if (shown === "") {
      this.#isSpaced ||= words !== "";
      return;
    }
    const isJoined = this.#breaks > 0 || !isSpaced || /\s$/.test(this.#tail);
    this.#mark(isJoined ? shown : ` ${shown}`);
    this.#isSpaced = words.endsWith(" ");
  }

  close(name: string): void {
    this.#depth--;
    if (unread.has(name)) {
      this.#unread = Math.max(0, this.#unread - 1);
      return;
    }
    if (this.#unread > 0) return;
    if (name === "title") {
      this.#isInTitle = false;
      this.#hasTitle = true;
    }
    if (name === "a") this.#endLink();
    if (name === "ul" || name === "ol") this.#lists.pop();
    if (name === "pre" && this.#preformatted > 0) {
      this.#preformatted--;
      this.#add(this.#tail.endsWith("\n") ? "```" : "\n```");
    }
    if (this.#openMain?.name === name && this.#depth < this.#openMain.depth) this.#endMain();
    this.#break(name);
  }

  result(): PageText {
    if (this.#openMain) this.#endMain();
    const main = this.#main
      ? this.#parts.slice(this.#main.from, this.#main.to).join("").trim()
      : "";
    return {
      title: this.#title.replace(/\s+/g, " ").trim(),
      text: main.length >= leastMain ? main : this.#parts.join("").trim(),
      isCut: this.isFull,
    };
  }

  #itemMark(): string {
    const indent = "  ".repeat(Math.min(10, Math.max(0, this.#lists.length - 1)));
    const last = this.#lists.length - 1;
    const count = this.#lists[last];
    if (count === undefined) return `${indent}- `;
    this.#lists[last] = count + 1;
    return `${indent}${count + 1}. `;
  }

  #break(name: string): void {
    if (!blocks.has(name)) return;
    this.#breaks = Math.max(this.#breaks, apart.has(name) && this.#lists.length === 0 ? 2 : 1);
    this.#isSpaced = false;
  }

  /** Writes a text as it is, behind the line breaks that are due. */
  #mark(text: string): void {
    // Behind the mark of an item or of code, the text follows on the same line.
    const isDue = this.#breaks > 0 && this.#tail !== "" && !/```\n$|[-#.] $/.test(this.#tail);
    if (isDue) this.#add("\n".repeat(this.#breaks));
    this.#breaks = 0;
    this.#isSpaced = false;
    this.#add(text);
  }

  #add(text: string): void {
    if (text === "") return;
    this.#parts.push(text);
    this.#tail = `${this.#tail}${text.slice(-8)}`.slice(-8);
  }

  #endLink(): void {
    const link = this.#links.pop();
    if (!link?.address || this.#preformatted > 0) return;
    if (this.#parts.length - link.from > maxLinkParts) return;
    const written = this.#parts.slice(link.from).join("");
    const shown = written.trim();
    // A link around a whole block, or without a text, is not worth its address.
    if (shown === "" || shown.includes("\n") || shown === link.address) return;
    const lead = written.slice(0, written.length - written.trimStart().length);
    this.#parts.length = link.from;
    this.#add(`${lead}[${shown}](${link.address})`);
  }

  #endMain(): void {
    const from = this.#openMain?.from ?? 0;
    const to = this.#parts.length;
    if (!this.#main || to - from > this.#main.to - this.#main.from) this.#main = { from, to };
    this.#openMain = undefined;
  }

  /** The whole address of a link to another page; empty for any other. */
  #addressOf(href: string | undefined): string {
    if (!href || href.startsWith("#") || href.length > 2_000) return "";
    if (!URL.canParse(href, this.#base)) return "";
    const url = new URL(href, this.#base);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : "";
  }
}
