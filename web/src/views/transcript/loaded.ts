import type { EntriesPage, EntryView } from "../../../../src/protocol/dashboard.ts";

/** The part of a transcript that the page holds: entries without a gap, oldest first. */
export interface Loaded {
  entries: readonly EntryView[];
  /** For the entries before these; null where there are none. */
  before: string | null;
  /** For the entries that come after. */
  after: string;
  /** False where newer entries are known to be, or were let go. */
  hasNewest: boolean;
}

/** So many entries are held at most: the rest is loaded again when it is wanted. */
export const keptEntries = 2_000;

/** The newest entries, as a page without `before` and `after` brings them. */
export function newestLoaded({ entries, before, after }: EntriesPage): Loaded {
  return { entries, before, after, hasNewest: true };
}

/** With the page before these. What is then too much goes from the newest end. */
export function withOlder(loaded: Loaded, page: EntriesPage): Loaded {
  const all = joined(page.entries, loaded.entries);
  const entries = all.slice(0, keptEntries);
  const last = entries.at(-1);
  if (entries.length === all.length || !last) return { ...loaded, entries, before: page.before };
  return { entries, before: page.before, after: last.cursor, hasNewest: false };
}

/** With the page that comes after these. What is then too much goes from the oldest end. */
export function withNewer(loaded: Loaded, page: EntriesPage, hasNewest: boolean): Loaded {
  const all = joined(loaded.entries, page.entries);
  const entries = all.slice(-keptEntries);
  const before = entries.length === all.length ? loaded.before : (entries[0]?.cursor ?? null);
  return { entries, before, after: page.after, hasNewest };
}

/** An entry out of the middle with what is before and after it. */
export function loadedAround(
  entry: EntryView,
  { older, newer, hasNewest }: { older: EntriesPage; newer: EntriesPage; hasNewest: boolean },
): Loaded {
  const entries = joined(joined(older.entries, [entry]), newer.entries);
  return { entries, before: older.before, after: newer.after, hasNewest };
}

/** Whether newer entries have no room, so that those a person is reading would have to go. */
export function isFull({ entries }: Loaded, more: number): boolean {
  return entries.length + more > keptEntries;
}

/** A page may begin or end with an entry that the other list has, too. */
function joined(first: readonly EntryView[], second: readonly EntryView[]): readonly EntryView[] {
  if (second.length === 0) return first;
  const known = new Set(first.map(({ cursor }) => cursor));
  const more = second.filter(({ cursor }) => !known.has(cursor));
  return more.length === 0 ? first : [...first, ...more];
}
