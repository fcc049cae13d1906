import type { RefObject } from "preact";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { MessageRow } from "./rows.ts";
import { type DrawnRows, Scrolling } from "./scrolling.ts";

/** The rows to draw while `scroller` with this height is scrolled. */
export function useSight(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly MessageRow[],
  height: number,
): DrawnRows & { onScroll(): void } {
  const [scrolling] = useState(() => new Scrolling());
  const [shown, setShown] = useState<DrawnRows>({ first: 0, end: 0, unseen: 0 });
  const latest = useRef(rows);
  latest.current = rows;
  const onScroll = useCallback(() => {
    if (!scroller.current) return;
    const next = scrolling.look(scroller.current, latest.current);
    setShown((known) => (isSame(known, next) ? known : next));
  }, [scroller, scrolling]);
  useLayoutEffect(() => {
    if (!scroller.current || height === 0) return;
    scrolling.settle(scroller.current, rows);
    onScroll();
  }, [scroller, scrolling, rows, height, onScroll]);
  return { ...shown, onScroll };
}

function isSame(a: DrawnRows, b: DrawnRows): boolean {
  return a.first === b.first && a.end === b.end && a.unseen === b.unseen;
}
