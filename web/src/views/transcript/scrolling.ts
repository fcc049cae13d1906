/** A row and its distance below the upper edge of the view. */
export interface Anchor {
  key: string;
  top: number;
}

const endTolerance = 40;

/** Whether the view is scrolled to the end. */
export function isAtEnd({ scrollTop, clientHeight, scrollHeight }: Element): boolean {
  return scrollHeight - clientHeight - scrollTop <= endTolerance;
}

/** The first visible row. */
export function anchorIn(scroller: Element): Anchor | null {
  const rows = scroller.querySelectorAll<HTMLElement>("[data-key]");
  const edge = scroller.getBoundingClientRect().top;
  let [low, high] = [0, rows.length];
  // Binary search for the first row that ends below the edge.
  while (low < high) {
    const middle = (low + high) >> 1;
    const bottom = rows[middle]?.getBoundingClientRect().bottom ?? 0;
    if (bottom > edge) high = middle;
    else low = middle + 1;
  }
  const row = rows[low];
  return row ? { key: row.dataset.key ?? "", top: row.getBoundingClientRect().top - edge } : null;
}

/** Scrolls so that the row of `anchor` is where it was. */
export function restore(scroller: Element, { key, top }: Anchor): void {
  const row = scroller.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!row) return;
  const moved = row.getBoundingClientRect().top - scroller.getBoundingClientRect().top - top;
  if (Math.abs(moved) >= 1) scroller.scrollTop += moved;
}

/** The row that gets the focus next: the one after or before the current one. */
export function neighbour(scroller: Element, step: 1 | -1): HTMLElement | null {
  const rows = [...scroller.querySelectorAll<HTMLElement>("[data-row]")];
  const current = document.activeElement?.closest<HTMLElement>("[data-row]") ?? focusedFold();
  const index = current ? rows.indexOf(current) : -1;
  if (index >= 0) return rows[index + step] ?? null;
  // If no row has the focus, the first visible row gets it.
  const { top, bottom } = scroller.getBoundingClientRect();
  const inView = rows.filter((row) => {
    const box = row.getBoundingClientRect();
    return box.bottom > top && box.top < bottom;
  });
  return (step === 1 ? inView[0] : inView.at(-1)) ?? null;
}

/** The content of an unfolded line belongs to that line. */
function focusedFold(): HTMLElement | null {
  const fold = document.activeElement?.closest(".fold");
  return fold?.querySelector<HTMLElement>("[data-row]") ?? null;
}
