import type { RefObject } from "preact";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Row, rowIndexOf } from "./rows.ts";
import { isAtEnd, scrollTopFor, windowOf } from "./windowing.ts";

/** The heights of the diagram in pixels. The style sheet has the same. */
export const rowHeight = 44;
export const headsHeight = 40;
/** Above the first row: whether there is more before it. */
export const leadIn = 36;
const overscan = 12;

interface Anchor {
  /** The message at the upper edge, and how far it is beyond it. */
  id: string;
  beyond: number;
}

export interface InSight {
  first: number;
  end: number;
  /** How many rows have come below since the person left the end. */
  unseen: number;
  onScroll(): void;
  toEnd(): void;
  toRow(index: number): void;
}

/**
 * Which rows are drawn while `scroller` is scrolled. When rows come, the view stays at the end if it
 * was there, and otherwise at the message that was at its upper edge, wherever that is.
 */
export function useSight(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  height: number,
): InSight {
  const [shown, setShown] = useState({ first: 0, end: 0, unseen: 0 });
  const anchor = useRef<Anchor | null>(null);
  const sticks = useRef(true);
  const lastSeen = useRef<string | undefined>(undefined);
  const latest = useRef(rows);
  latest.current = rows;

  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const { scrollTop, clientHeight, scrollHeight: contentHeight } = element;
    const all = latest.current;
    sticks.current = isAtEnd({ scrollTop, height: clientHeight, contentHeight });
    if (sticks.current) lastSeen.current = all.at(-1)?.messages[0].id;
    const within = Math.max(0, scrollTop - leadIn);
    const top = all[Math.floor(within / rowHeight)];
    anchor.current = top
      ? {
          id: top.messages[0].id,
          beyond: scrollTop - leadIn - Math.floor(within / rowHeight) * rowHeight,
        }
      : null;
    const sight = { scrollTop: within, height: clientHeight - headsHeight, rowHeight, overscan };
    const { first, end } = windowOf({ ...sight, count: all.length });
    const unseen = sticks.current ? 0 : unseenOf(all, lastSeen.current);
    setShown((known) =>
      known.first === first && known.end === end && known.unseen === unseen
        ? known
        : { first, end, unseen },
    );
  }, [scroller]);

  // More rows or another height move what is shown.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || height === 0) return;
    if (sticks.current) element.scrollTop = element.scrollHeight;
    else if (anchor.current) {
      const index = rowIndexOf(latest.current, anchor.current.id);
      if (index >= 0) element.scrollTop = leadIn + index * rowHeight + anchor.current.beyond;
    }
    onScroll();
  }, [scroller, rows, height, onScroll]);

  const toEnd = useCallback(() => {
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [scroller]);
  const toRow = useCallback(
    (index: number) => {
      const element = scroller.current;
      if (!element) return;
      const sight = { scrollTop: element.scrollTop - leadIn, rowHeight };
      const visible = element.clientHeight - headsHeight;
      element.scrollTop = leadIn + scrollTopFor({ index, ...sight, height: visible });
    },
    [scroller],
  );
  return { ...shown, onScroll, toEnd, toRow };
}

function unseenOf(rows: readonly Row[], lastSeen: string | undefined): number {
  const seen = rows.findLastIndex(({ key }) => key === lastSeen);
  return seen < 0 ? 0 : rows.length - 1 - seen;
}
