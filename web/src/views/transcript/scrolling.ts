/** A row and how far below the upper edge of the view it is. */
export interface Anchor {
  key: string;
  top: number;
}

const endTolerance = 40;

/** Whether the end of what scrolls is in view. */
export function isAtEnd({ scrollTop, clientHeight, scrollHeight }: Element): boolean {
  return scrollHeight - clientHeight - scrollTop <= endTolerance;
}

/** The first row in view. */
export function anchorIn(scroller: Element): Anchor | null {
  const rows = scroller.querySelectorAll<HTMLElement>("[data-key]");
  const edge = scroller.getBoundingClientRect().top;
  let [low, high] = [0, rows.length];
  // Rows stand below each other, so the first that ends below the edge is found by halves.
  while (low < high) {
    const middle = (low + high) >> 1;
    const bottom = rows[middle]?.getBoundingClientRect().bottom ?? 0;
    if (bottom > edge) high = middle;
    else low = middle + 1;
  }
  const row = rows[low];
  return row ? { key: row.dataset.key ?? "", top: row.getBoundingClientRect().top - edge } : null;
}

/** Puts the row of `anchor` where it was. */
export function restore(scroller: Element, { key, top }: Anchor): void {
  const row = scroller.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!row) return;
  const moved = row.getBoundingClientRect().top - scroller.getBoundingClientRect().top - top;
  if (Math.abs(moved) >= 1) scroller.scrollTop += moved;
}

/** The row that the focus goes to from the one it is on: the next, or the one before. */
export function neighbour(scroller: Element, step: 1 | -1): HTMLElement | null {
  const rows = [...scroller.querySelectorAll<HTMLElement>("[data-row]")];
  const current = document.activeElement?.closest<HTMLElement>("[data-row]") ?? focusedFold();
  const index = current ? rows.indexOf(current) : -1;
  if (index >= 0) return rows[index + step] ?? null;
  // From outside, the first step is to what is in view.
  const { top, bottom } = scroller.getBoundingClientRect();
  const inView = rows.filter((row) => {
    const box = row.getBoundingClientRect();
    return box.bottom > top && box.top < bottom;
  });
  return (step === 1 ? inView[0] : inView.at(-1)) ?? null;
}

/** What is inside of an opened line belongs to that line. */
function focusedFold(): HTMLElement | null {
  const fold = document.activeElement?.closest(".fold");
  return fold?.querySelector<HTMLElement>("[data-row]") ?? null;
}
