import { shown } from "../shown.ts";
import {
  closesFence,
  type Fence,
  headingOf,
  indentOf,
  isBlank,
  isIndentedCode,
  isRule,
  listMarkerOf,
  openingFence,
  underlineLevel,
} from "./lines.ts";

/** How far a line after a blank one must be indented to belong to the list before it. */
const listIndent = 2;
const codeIndent = 4;

/**
 * Finds, line by line, where Markdown may be cut so that no part changes how another looks: after
 * a heading, a rule and a closed fence, at blank lines, and before a fence that begins at the
 * margin.
 */
export class Sections {
  #lines: string[] = [];
  #hasText = false;
  #fence: Fence | undefined;
  /** Set in a list or indented code: what is indented so far goes on after blank lines. */
  #goesOnFrom: number | undefined;
  #isAfterBlank = false;

  /** The lines of the section that is not complete yet. */
  get rest(): readonly string[] {
    return this.#lines;
  }

  /** Takes one line with its newline, and gives the sections it completes. */
  add(line: string): string[] {
    const text = shown(line).replace(/\n$/, "");
    if (this.#fence) return this.#addToFence(line, text);
    if (isBlank(text)) return this.#addBlank(line);

    const before = this.#beginsAnew(text) ? this.end() : [];
    const isFirst = !this.#hasText;
    this.#keep(line);
    this.#isAfterBlank = false;
    this.#fence = openingFence(text);
    if (this.#fence) return before;
    if (isFirst && isIndentedCode(text)) this.#goesOnFrom = codeIndent;
    else if (this.#isListItem(text)) this.#goesOnFrom = listIndent;
    return this.#endsAtOnce(text, isFirst) ? [...before, ...this.end()] : before;
  }

  /** The section that is left when no more comes. */
  end(): string[] {
    const section = this.#hasText ? [this.#lines.join("")] : [];
    this.#lines = [];
    this.#hasText = false;
    this.#fence = undefined;
    this.#goesOnFrom = undefined;
    this.#isAfterBlank = false;
    return section;
  }

  #keep(line: string): void {
    this.#lines.push(line);
    this.#hasText = true;
  }

  #addToFence(line: string, text: string): string[] {
    this.#keep(line);
    if (!this.#fence || !closesFence(text, this.#fence)) return [];
    this.#fence = undefined;
    return this.#goesOnFrom === undefined ? this.end() : [];
  }

  #addBlank(line: string): string[] {
    this.#lines.push(line);
    this.#isAfterBlank = true;
    return this.#goesOnFrom === undefined ? this.end() : [];
  }

  #beginsAnew(text: string): boolean {
    if (!this.#hasText) return false;
    const indent = indentOf(text);
    if (this.#goesOnFrom === codeIndent) return indent < codeIndent;
    if (this.#goesOnFrom !== undefined && this.#isAfterBlank) return indent < listIndent;
    if (this.#goesOnFrom !== undefined && indent >= listIndent) return false;
    if (openingFence(text) || headingOf(text)) return true;
    return isRule(text) && underlineLevel(text) === undefined;
  }

  #isListItem(text: string): boolean {
    return (
      listMarkerOf(text) !== undefined && (this.#goesOnFrom !== undefined || indentOf(text) < 4)
    );
  }

  #endsAtOnce(text: string, isFirst: boolean): boolean {
    if (this.#goesOnFrom !== undefined) return false;
    if (isFirst) return headingOf(text) !== undefined || isRule(text);
    return underlineLevel(text) !== undefined;
  }
}
