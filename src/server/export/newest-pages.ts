/** How much is asked for at once. */
export const pageSize = 500;

interface Page<T> {
  /** Oldest first. */
  items: readonly T[];
  /** For the items before these; null where there are none. */
  before: string | null;
}

/** The newest `most` items, oldest first, page by page from the end. */
export async function newestOf<T>(
  most: number,
  fetch: (before: string | undefined) => Promise<Page<T>>,
): Promise<{ items: T[]; hasOlder: boolean }> {
  const pages: (readonly T[])[] = [];
  let count = 0;
  let before: string | null | undefined;
  while (before !== null && count < most) {
    const page = await fetch(before);
    pages.push(page.items);
    count += page.items.length;
    before = page.before;
  }
  const items = pages.reverse().flat();
  const newest = items.slice(Math.max(0, items.length - most));
  return { items: newest, hasOlder: before !== null || items.length > most };
}
