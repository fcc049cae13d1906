/** Rows of one height, of which only those in sight are drawn. */
export interface Sight {
  scrollTop: number;
  height: number;
  rowHeight: number;
  count: number;
  /** How many rows are drawn beyond either edge. */
  overscan: number;
}

/** The rows to draw: from `first` up to, but not with, `end`. */
export function windowOf({ scrollTop, height, rowHeight, count, overscan }: Sight): {
  first: number;
  end: number;
} {
  const end = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + overscan);
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
  return { first: Math.min(first, Math.max(0, end)), end: Math.max(0, end) };
}

/** Where to scroll so that a row is in sight, with as little movement as it takes. */
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

/** True when the last row is in sight, or would be but for a rounding. */
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
