import { type MessageRow, rowIndexOf } from "./rows.ts";
import { isAtEnd, scrollTopFor, windowOf } from "./windowing.ts";

/** The heights of the diagram in pixels. The style sheet has the same. */
export const rowHeight = 44;
const headsHeight = 40;
/** The height of the note above the first row. */
export const leadIn = 36;
const overscan = 12;

/** The scroll position and size of an element. */
export interface ScrollPosition {
  scrollTop: number;
  readonly clientHeight: number;
  readonly scrollHeight: number;
}

export interface DrawnRows {
  /** The rows to draw: from `first` up to, but not including, `end`. */
  first: number;
  end: number;
  /** How many rows have been added since the person scrolled away from the end. */
  unseen: number;
}

/**
 * The scroll position in the diagram. When rows are added, the view stays at the end if it was
 * there, and otherwise at the message at its upper edge.
 */
export class Scrolling {
  /** The message at the upper edge of the view, and how far it is above the edge. */
  #anchor: { id: string; beyond: number } | null = null;
  #sticks = true;
  #lastSeen: string | undefined;

  /** Records the position of `element`, and returns which of `rows` to draw. */
  look(element: ScrollPosition, rows: readonly MessageRow[]): DrawnRows {
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

  /** Restores the person's scroll position after `rows` have changed. */
  settle(element: ScrollPosition, rows: readonly MessageRow[]): void {
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

/** Scrolls so that the row is visible. */
export function scrollToRow(element: ScrollPosition, index: number): void {
  const height = element.clientHeight - headsHeight;
  const sight = { scrollTop: element.scrollTop - leadIn, height, rowHeight };
  element.scrollTop = leadIn + scrollTopFor({ index, ...sight });
}
