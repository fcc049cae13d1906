import type { EntriesPage, EntryView } from "../../../../src/protocol/dashboard.ts";

/** The loaded part of a transcript: entries without a gap, oldest first. */
export interface LoadedEntries {
  entries: readonly EntryView[];
  /** The cursor for older entries; null if there are none. */
  before: string | null;
  /** The cursor for newer entries. */
  after: string;
  /** False if there are newer entries, or newer ones were dropped. */
  hasNewest: boolean;
}

/** The limit of loaded entries; others are loaded again when needed. */
export const keptEntries = 2_000;

/** The newest entries: a page without `before` and `after`. */
export function newestLoaded({ entries, before, after }: EntriesPage): LoadedEntries {
  return { entries, before, after, hasNewest: true };
}

/** Adds the page before these entries. Beyond the limit, the newest entries are dropped. */
export function withOlder(loaded: LoadedEntries, page: EntriesPage): LoadedEntries {
  const all = joined(page.entries, loaded.entries);
  const entries = all.slice(0, keptEntries);
  const last = entries.at(-1);
  if (entries.length === all.length || !last) return { ...loaded, entries, before: page.before };
  return { entries, before: page.before, after: last.cursor, hasNewest: false };
}

/** Adds the page after these entries. Beyond the limit, the oldest entries are dropped. */
export function withNewer(
  loaded: LoadedEntries,
  page: EntriesPage,
  hasNewest: boolean,
): LoadedEntries {
  const all = joined(loaded.entries, page.entries);
  const entries = all.slice(-keptEntries);
  const before = entries.length === all.length ? loaded.before : (entries[0]?.cursor ?? null);
  return { entries, before, after: page.after, hasNewest };
}

/** An entry from the middle with the entries before and after it. */
export function loadedAround(
  entry: EntryView,
  { older, newer, hasNewest }: { older: EntriesPage; newer: EntriesPage; hasNewest: boolean },
): LoadedEntries {
  const entries = joined(joined(older.entries, [entry]), newer.entries);
  return { entries, before: older.before, after: newer.after, hasNewest };
}

/**
 * Whether the limit is reached, so that newer entries would drop those that the person is reading.
 */
export function isFull({ entries }: LoadedEntries, more: number): boolean {
  return entries.length + more > keptEntries;
}

/** A page may begin or end with an entry that is also in the other list. */
function joined(first: readonly EntryView[], second: readonly EntryView[]): readonly EntryView[] {
  if (second.length === 0) return first;
  const known = new Set(first.map(({ cursor }) => cursor));
  const more = second.filter(({ cursor }) => !known.has(cursor));
  return more.length === 0 ? first : [...first, ...more];
}
