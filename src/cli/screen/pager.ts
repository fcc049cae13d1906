import { fittingStart } from "../render/fitting.ts";
import { oneLine } from "../render/one-line.ts";
import type { TextFormat } from "../render/paint.ts";
import { widthOf } from "../render/styled-text.ts";
import { cutToWidth } from "../render/wrap.ts";
import type { Key } from "./keys.ts";

/** A part of the text in a pager, rendered for any width. */
export type PagerPart = (format: TextFormat) => string[];

export interface PagerText {
  title: string;
  /** The text, or its last part if there is something `earlier`. */
  part: PagerPart;
  /** Loads the part before the first one; undefined if there is none. */
  earlier?: () => Promise<PagerPart | undefined>;
}

export interface PagerFormat extends TextFormat {
  height: number;
  /** Something else that the person should know, such as that a member asks. */
  news: string | undefined;
}

/** A text that fills the terminal and can be scrolled. */
export class Pager {
  readonly #title: string;
  readonly #earlier: PagerText["earlier"];
  readonly #parts: PagerPart[];
  /** The part in front that has no rows yet. */
  #added: PagerPart | undefined;
  #isLoading = false;
  #hasEarlier: boolean;
  #rows: string[] = [];
  #width = 0;
  /** The first row that is shown; infinite for the end of the text. */
  #top: number;
  #pageRows = 1;

  constructor({ title, part, earlier }: PagerText) {
    this.#title = title;
    this.#parts = [part];
    this.#earlier = earlier;
    this.#hasEarlier = earlier !== undefined;
    // Of a text that has something earlier, the newest is at the end.
    this.#top = earlier ? Number.POSITIVE_INFINITY : 0;
  }

  /** Moves in the text, if the key says so. */
  press(key: Key): void {
    this.#top = this.#clamp(this.#top + stepOf(key, this.#pageRows));
  }

  /** Loads what comes before, if the person has come near the first row. */
  async loadEarlier(): Promise<void> {
    const isNear = this.#top < this.#pageRows;
    if (!this.#earlier || !this.#hasEarlier || this.#isLoading || !isNear) return;
    this.#isLoading = true;
    const part = await this.#earlier();
    this.#isLoading = false;
    this.#hasEarlier = part !== undefined;
    if (part) this.#parts.unshift(part);
    this.#added = part;
  }

  /** All rows of the terminal. */
  render(format: PagerFormat): string[] {
    const { width, height } = format;
    this.#pageRows = Math.max(1, height - 2);
    this.#layOut(format);
    this.#top = this.#clamp(this.#top);
    const page = this.#rows.slice(this.#top, this.#top + this.#pageRows);
    const space = Array.from({ length: this.#pageRows - page.length }, () => "");
    const rows = [this.#head(format), ...page, ...space, this.#foot(format)];
    return rows.slice(-height).map((row) => cutToWidth(row, width));
  }

  #layOut(format: PagerFormat): void {
    const added = this.#added?.(format) ?? [];
    this.#added = undefined;
    if (this.#width === format.width) {
      this.#rows = added.length > 0 ? [...added, ...this.#rows] : this.#rows;
      this.#top += added.length;
      return;
    }
    const share = this.#rows.length === 0 ? 0 : this.#top / this.#rows.length;
    this.#rows = this.#parts.flatMap((part) => part(format));
    if (this.#width > 0) this.#top = Math.floor(share * this.#rows.length);
    this.#width = format.width;
  }

  #clamp(top: number): number {
    return Math.max(0, Math.min(top, this.#rows.length - this.#pageRows));
  }

  #head({ paint }: PagerFormat): string {
    const more = this.#isLoading ? " · loading what was before …" : "";
    return paint.bold(oneLine(this.#title)) + paint.dim(more);
  }

  #foot({ paint, width, news }: PagerFormat): string {
    const all = this.#rows.length;
    const last = Math.min(all, this.#top + this.#pageRows);
    const place = `${Math.min(all, this.#top + 1)}–${last} of ${all}${this.#hasEarlier ? "+" : ""}`;
    const room = width - place.length - 1;
    const left =
      news === undefined
        ? paint.dim(fittingStart(hints, room))
        : paint.yellow(cutToWidth(oneLine(news), Math.max(0, room)));
    return `${left}${" ".repeat(Math.max(1, width - widthOf(left) - place.length))}${paint.dim(place)}`;
  }
}

/** What is needed most comes first. */
const hints = ["q closes", "↑ ↓ PgUp PgDn g G scroll", "p n other items", "h history"];

/** How far a key moves in the text. */
function stepOf(key: Key, page: number): number {
  if (key.type === "paste") return 0;
  const name = key.type === "text" ? key.text : key.name;
  switch (name) {
    case "up":
    case "k":
      return -1;
    case "down":
    case "j":
    case "enter":
      return 1;
    case "pageup":
    case "b":
      return -page;
    case "pagedown":
    case "space":
    case " ":
      return page;
    case "home":
    case "g":
      return Number.NEGATIVE_INFINITY;
    case "end":
    case "G":
      return Number.POSITIVE_INFINITY;
    default:
      return 0;
  }
}
