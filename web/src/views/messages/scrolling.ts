import { type MessageRow, rowIndexOf } from "./rows.ts";
import { isAtEnd, scrollTopFor, windowOf } from "./windowing.ts";

/** The heights of the diagram in pixels. The style sheet has the same. */
export const rowHeight = 44;
const headsHeight = 40;
/** Above the first row: whether there is more before it. */
export const leadIn = 36;
const overscan = 12;

/** What can be seen of an element that scrolls. */
export interface Scrolled {
  scrollTop: number;
  readonly clientHeight: number;
  readonly scrollHeight: number;
}

export interface DrawnRows {
  /** The rows to draw: from `first` up to, but not with, `end`. */
  first: number;
  end: number;
  /** How many rows have come below since the person left the end. */
  unseen: number;
}

/**
 * Where a person is in the diagram. When rows come, the view stays at the end if it was there, and
 * otherwise at the message that was at its upper edge, wherever that is.
 */
export class Scrolling {
  /** The message at the upper edge, and how far it is beyond it. */
  #anchor: { id: string; beyond: number } | null = null;
  #sticks = true;
  #lastSeen: string | undefined;

  /** Notes where `element` is, and tells what of `rows` is to be drawn there. */
  look(element: Scrolled, rows: readonly MessageRow[]): DrawnRows {
    const { scrollTop, clientHeight: height, scrollHeight: contentHeight } = element;
    this.#sticks = isAtEnd({ scrollTop, height, contentHeight });
    if (this.#sticks) this.#lastSeen = rows.at(-1)?.key;
    const within = Math.max(0, scrollTop - leadIn);
    const index = Math.floor(within / rowHeight);
    const top = rows[index];
    this.#anchor = top ? { id: top.key, beyond: scrollTop - leadIn - index * rowHeight } : null;
    const sight = { scrollTop: within, height: height - headsHeight, rowHeight, overscan };
    return { ...windowOf({ ...sight, count: rows.length }), unseen: this.#unseen(rows) };
  }

  /** Puts `element` back to where the person was, now that `rows` are in it. */
  settle(element: Scrolled, rows: readonly MessageRow[]): void {
    if (this.#sticks) element.scrollTop = element.scrollHeight;
    else if (this.#anchor) {
      const index = rowIndexOf(rows, this.#anchor.id);
      if (index >= 0) element.scrollTop = leadIn + index * rowHeight + this.#anchor.beyond;
    }
  }

  #unseen(rows: readonly MessageRow[]): number {
    if (this.#sticks) return 0;
    const seen = rows.findLastIndex(({ key }) => key === this.#lastSeen);
    return seen < 0 ? 0 : rows.length - 1 - seen;
  }
}

/** Scrolls so that the row is in sight. */
export function scrollToRow(element: Scrolled, index: number): void {
  const height = element.clientHeight - headsHeight;
  const sight = { scrollTop: element.scrollTop - leadIn, height, rowHeight };
  element.scrollTop = leadIn + scrollTopFor({ index, ...sight });
}
