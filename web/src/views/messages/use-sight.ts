import type { RefObject } from "preact";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Row } from "./rows.ts";
import { Scrolling, type Shown } from "./scrolling.ts";

/** Which rows are drawn while `scroller`, so high, is scrolled. */
export function useSight(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  height: number,
): Shown & { onScroll(): void } {
  const [scrolling] = useState(() => new Scrolling());
  const [shown, setShown] = useState<Shown>({ first: 0, end: 0, unseen: 0 });
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

function isSame(a: Shown, b: Shown): boolean {
  return a.first === b.first && a.end === b.end && a.unseen === b.unseen;
}
