import { Lexer, type MarkedToken, type Token, type Tokens, type TokensList } from "marked";
import { MarkdownStream } from "./markdown-stream.ts";

/** A piece of a paragraph, heading or cell. */
export type Inline =
  | { type: "text" | "code"; text: string }
  | { type: "bold" | "italic" | "strike"; content: Inline[] }
  | { type: "link"; content: Inline[]; url: string; title: string }
  | { type: "break" };

export type Alignment = "left" | "center" | "right";

export interface ListItem {
  /** Set on an item with a box. */
  isDone: boolean | undefined;
  blocks: Block[];
}

/** A part of a Markdown text. `isAfterBlank` is true if there is an empty line before it. */
export type Block = { isAfterBlank: boolean } & (
  | { type: "paragraph"; content: Inline[] }
  | { type: "heading"; level: number; content: Inline[] }
  | { type: "code"; language: string; text: string }
  | { type: "quote"; blocks: Block[] }
  /** `start` is the number of the first item, if the list is numbered. */
  | { type: "list"; start: number | undefined; isLoose: boolean; items: ListItem[] }
  /** The first row is the head. */
  | { type: "table"; alignments: Alignment[]; rows: Inline[][][] }
  | { type: "rule" }
);

type Content = Block extends infer Each
  ? Each extends Block
    ? Omit<Each, "isAfterBlank">
    : never
  : never;

/**
 * The blocks of a Markdown text, section by section. Never fails, and its time is proportional to
 * the length of any text. Nothing is lost: HTML and link definitions are returned as text, images
 * as links.
 */
export function readMarkdown(source: string): Block[][] {
  return MarkdownStream.sectionsOf(source).map(readSection);
}

/** The blocks of one section. */
export function readSection(section: string): Block[] {
  return blocksOf(new BoundedLexer().lex(section));
}

/** The address of a link that a page may open; undefined for any other. */
export function safeUrl(url: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu.test(url) && URL.canParse(url) ? url : undefined;
}

/** The target of a link, with its title; undefined if its text is the same. */
export function targetOf({ content, url, title }: Extract<Inline, { type: "link" }>) {
  const target = title === "" ? url : `${url} "${title.replace(/\s+/g, " ")}"`;
  const words = textOf(content);
  return ["", "mailto:", "http://"].some((scheme) => target === scheme + words)
    ? undefined
    : target;
}

function textOf(content: readonly Inline[]): string {
  return content
    .map((inline) => {
      if ("content" in inline) return textOf(inline.content);
      return "text" in inline ? inline.text : " ";
    })
    .join("");
}

const maxDepth = 12;

/**
 * Marked looks for an address from every mark in a word: text with a longer word gets no styles.
 */
const longWord = /[!-~]{1000}/;

/**
 * Marked looks for the partner of each mark in all that follows: text with more marks gets no
 * styles either.
 */
const maxMarks = 400;

function isCostly(text: string): boolean {
  return longWord.test(text) || (text.match(/[*_~`[\]<\\!&]/g)?.length ?? 0) > maxMarks;
}

/**
 * Returns plain text where marked would take time that grows faster than the text, or nest too
 * deep.
 */
class BoundedLexer extends Lexer {
  #depth = 0;

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], isClipped?: boolean): Token[] {
    if (this.#depth >= maxDepth) return withText(tokens, src);
    return this.#deeper(() => super.blockTokens(src, tokens, isClipped));
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (this.#depth >= maxDepth || isCostly(src)) return withText(tokens, src);
    return this.#deeper(() => super.inlineTokens(src, tokens));
  }

  #deeper(read: () => Token[]): Token[] {
    this.#depth++;
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }
}

function withText(tokens: Token[], text: string): Token[] {
  tokens.push({ type: "text", raw: text, text });
  return tokens;
}

/** Without extensions every token is one of marked's own. */
function isMarked(_token: Token): _token is MarkedToken {
  return true;
}

function blocksOf(tokens: readonly Token[]): Block[] {
  const blocks: Block[] = [];
  let isAfterBlank = false;
  for (const token of tokens.filter(isMarked)) {
    const block = blockOf(token);
    if (block) blocks.push({ ...block, isAfterBlank });
    isAfterBlank = token.type === "space" || /\n[ \t]*\n$/.test(token.raw);
  }
  return blocks;
}

function blockOf(token: MarkedToken): Content | undefined {
  switch (token.type) {
    case "space":
    case "checkbox":
      return undefined;
    case "heading":
      return { type: "heading", level: token.depth, content: inlinesOf(token.tokens) };
    case "code":
      return { type: "code", language: token.lang ?? "", text: token.text };
    case "blockquote":
      return { type: "quote", blocks: blocksOf(token.tokens) };
    case "list":
      return listOf(token);
    case "table":
      return hasAllCells(token) ? tableOf(token) : asWritten(token.raw);
    case "hr":
      return { type: "rule" };
    case "paragraph":
      return { type: "paragraph", content: inlinesOf(token.tokens) };
    case "text":
      if (token.tokens) return { type: "paragraph", content: inlinesOf(token.tokens) };
      return asWritten(token.raw);
    default:
      return asWritten(token.raw);
  }
}

/** HTML and other text that is not Markdown: its lines, unchanged. */
function asWritten(raw: string): Content {
  const lines = raw.trimEnd().split("\n");
  const content = lines.flatMap((text, index): Inline[] =>
    index === 0 ? [{ type: "text", text }] : [{ type: "break" }, { type: "text", text }],
  );
  return { type: "paragraph", content };
}

function listOf({ start, loose, items }: Tokens.List): Content {
  return {
    type: "list",
    start: start === "" ? undefined : start,
    isLoose: loose,
    items: items.map(({ task, checked, tokens }) => ({
      isDone: task ? checked === true : undefined,
      blocks: blocksOf(tokens),
    })),
  };
}

function tableOf({ header, rows, align }: Tokens.Table): Content {
  return {
    type: "table",
    alignments: align.map((each) => each ?? "left"),
    rows: [header, ...rows].map((row) => row.map(({ tokens }) => inlinesOf(tokens))),
  };
}

/** Marked drops the cells of a row that have no column. */
function hasAllCells({ raw, header }: Tokens.Table): boolean {
  return raw.split("\n").every((line) => {
    const cells = line.trim().replace(/^\||(?<!\\)\|$/g, "");
    return cells.split(/(?<!\\)\|/).length <= header.length;
  });
}

function inlinesOf(tokens: readonly Token[]): Inline[] {
  return tokens.filter(isMarked).map(inlineOf);
}

function inlineOf(token: MarkedToken): Inline {
  switch (token.type) {
    case "strong":
      return { type: "bold", content: inlinesOf(token.tokens) };
    case "em":
      return { type: "italic", content: inlinesOf(token.tokens) };
    case "del":
      return { type: "strike", content: inlinesOf(token.tokens) };
    case "codespan":
      return { type: "code", text: token.text };
    case "br":
      return { type: "break" };
    case "link":
    case "image":
      return linkOf(token);
    case "escape":
    case "text":
      return { type: "text", text: token.text };
    case "checkbox":
      return { type: "text", text: "" };
    default:
      return { type: "text", text: token.raw };
  }
}

function linkOf({ tokens, href, title }: Tokens.Link | Tokens.Image): Inline {
  return { type: "link", content: inlinesOf(tokens), url: href, title: title ?? "" };
}
