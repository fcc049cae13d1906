/** Rows of equal height, of which only the visible ones are drawn. */
export interface VisibleRange {
  scrollTop: number;
  height: number;
  rowHeight: number;
  count: number;
  /** How many rows are drawn beyond each edge. */
  overscan: number;
}

/** The rows to draw: from `first` up to, but not including, `end`. */
export function windowOf({ scrollTop, height, rowHeight, count, overscan }: VisibleRange): {
  first: number;
  end: number;
} {
  const end = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + overscan);
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
  return { first: Math.min(first, Math.max(0, end)), end: Math.max(0, end) };
}

/** The nearest scroll position at which a row is visible. */
export function scrollTopFor({
  index,
  scrollTop,
  height,
  rowHeight,
}: {
  index: number;
  scrollTop: number;
  height: number;
  rowHeight: number;
}): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return Math.max(scrollTop, top + rowHeight - height);
}

/** True if the last row is visible, with a tolerance for rounding. */
export function isAtEnd({
  scrollTop,
  height,
  contentHeight,
}: {
  scrollTop: number;
  height: number;
  contentHeight: number;
}): boolean {
  return scrollTop + height >= contentHeight - 8;
}
