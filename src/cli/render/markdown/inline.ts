import type { Paint } from "../paint.ts";
import { CodeSpans } from "./code-spans.ts";
import { matchEmphasis } from "./emphasis.ts";

export type InlineStyle = "bold" | "italic" | "strike" | "code" | "link" | "dim";

/** A stretch of a paragraph, and the styles that begin or end around it. */
export interface Token {
  text: string;
  /** The styles that end before the text. */
  ends: InlineStyle[];
  /** The styles that begin after the text. */
  begins: InlineStyle[];
  /** Set on what may begin or end emphasis. */
  run?: { sign: string; canOpen: boolean; canClose: boolean };
}

/** The text of a paragraph, heading or cell in its styles. */
export function renderInline(text: string, paint: Paint): string {
  const tokens = new InlineReader(text, paint.hasColors).readAll();
  matchEmphasis(tokens);
  return painted(tokens, paint);
}

function painted(tokens: readonly Token[], paint: Paint): string {
  const depth = { bold: 0, italic: 0, strike: 0, code: 0, link: 0, dim: 0 };
  let output = "";
  let pending = "";
  const flush = () => {
    let styled = pending;
    if (depth.code > 0) styled = paint.cyan(styled);
    if (depth.link > 0) styled = paint.underline(styled);
    if (depth.dim > 0) styled = paint.dim(styled);
    if (depth.strike > 0) styled = paint.strike(styled);
    if (depth.italic > 0) styled = paint.italic(styled);
    if (depth.bold > 0) styled = paint.bold(styled);
    output += styled;
    pending = "";
  };
  for (const { text, ends, begins } of tokens) {
    if (ends.length > 0) flush();
    for (const style of ends) depth[style]--;
    pending += text;
    if (begins.length > 0) flush();
    for (const style of begins) depth[style]++;
  }
  flush();
  return output;
}

const plainText = /[^\\`*_~[\]!<]+/y;
const escaped = /\\[!-/:-@[-`{-~]/y;
const backticks = /`+/y;
const emphasis = /\*+|_+|~~?/y;
const address = /<((?:https?|ftp|mailto):[^\s<>]{1,2000})>/y;
const target =
  /\(\s*(?:<([^<>\n]{0,2000})>|((?:[^\s()<>]|\([^\s()]{0,500}\)){0,2000}))(\s+(?:"[^"]{0,500}"|'[^']{0,500}'))?\s*\)/y;

class InlineReader {
  readonly #text: string;
  readonly #codeSpans: CodeSpans;
  readonly #hasColors: boolean;
  readonly #tokens: Token[] = [];
  /** Where the brackets that are open began. */
  readonly #brackets: { token: Token; from: number }[] = [];
  #at = 0;

  constructor(text: string, hasColors: boolean) {
    this.#text = text;
    this.#hasColors = hasColors;
    this.#codeSpans = new CodeSpans(text);
  }

  readAll(): Token[] {
    while (this.#at < this.#text.length) this.#readOne();
    return this.#tokens;
  }

  #readOne(): void {
    const plain = this.#take(plainText);
    if (plain) this.#add(plain[0]);
    else if (this.#text[this.#at] === "[") this.#openBracket("[");
    else if (this.#text.startsWith("![", this.#at)) this.#openBracket("![");
    else if (this.#text[this.#at] === "]") this.#closeBracket();
    else this.#readSign();
  }

  #readSign(): void {
    const from = this.#at;
    const literal = this.#take(escaped);
    if (literal) {
      this.#add(literal[0].slice(1));
      return;
    }
    const ticks = this.#take(backticks);
    if (ticks) {
      this.#readCode(ticks[0], from);
      return;
    }
    const signs = this.#take(emphasis);
    if (signs) {
      this.#add(signs[0]).run = this.#runAt(from, signs[0]);
      return;
    }
    const link = this.#take(address);
    if (link) this.#addStyled(link[1] ?? "", "link");
    else this.#add(this.#text[this.#at++] ?? "");
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found) this.#at += found[0].length;
    return found;
  }

  #add(text: string): Token {
    const token: Token = { text, ends: [], begins: [] };
    this.#tokens.push(token);
    return token;
  }

  #addStyled(text: string, style: InlineStyle): void {
    this.#add("").begins.push(style);
    this.#add(text);
    this.#add("").ends.push(style);
  }

  #readCode(ticks: string, from: number): void {
    const end = this.#codeSpans.closing(ticks.length, from);
    if (end === undefined) {
      this.#add(ticks);
      return;
    }
    const code = this.#text.slice(this.#at, end).replaceAll("\n", " ");
    const isPadded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
    const content = isPadded ? code.slice(1, -1) : code;
    // Without colours the marks are all that tells code from text.
    this.#addStyled(this.#hasColors ? content : ticks + code + ticks, "code");
    this.#at = end + ticks.length;
  }

  #runAt(from: number, signs: string): NonNullable<Token["run"]> {
    const before = this.#text[from - 1] ?? " ";
    const after = this.#text[this.#at] ?? " ";
    const isLeft =
      !/\s/.test(after) && (!isPunctuation(after) || /\s/.test(before) || isPunctuation(before));
    const isRight =
      !/\s/.test(before) && (!isPunctuation(before) || /\s/.test(after) || isPunctuation(after));
    const [sign = ""] = signs;
    // Underscores inside of words are part of the word.
    const isStrict = sign === "_";
    return {
      sign,
      canOpen: isLeft && (!isStrict || !isRight || isPunctuation(before)),
      canClose: isRight && (!isStrict || !isLeft || isPunctuation(after)),
    };
  }

  #openBracket(sign: string): void {
    this.#at += sign.length;
    this.#brackets.push({ token: this.#add(sign), from: this.#at });
  }

  #closeBracket(): void {
    const end = this.#at++;
    const bracket = this.#brackets.pop();
    const found = bracket && this.#take(target);
    if (!bracket || !found) {
      this.#add("]");
      return;
    }
    const [, marked, bare, title = ""] = found;
    const url = marked ?? bare ?? "";
    bracket.token.text = "";
    bracket.token.begins.push("link");
    this.#add("").ends.push("link");
    if (this.#text.slice(bracket.from, end) !== url || title !== "") {
      this.#addStyled(` (${url}${title.replace(/\s+/, " ")})`, "dim");
    }
  }
}

function isPunctuation(character: string): boolean {
  return /[\p{P}\p{S}]/u.test(character);
}
