import { TeamError } from "../errors.ts";

/**
 * The fields of every record: its name in the directory, and a version that each change raises by
 * one.
 */
export interface Versioned {
  id: string;
  version: number;
}

/** How far an edit of a copy may go beyond the newest version. */
export const maxLeap = 1_000_000;

/** Throws unless a record that was read from `path` is the one named `id`, at most at `highest`. */
export function requireRecord(
  record: Versioned,
  { id, highest, path }: { id: string; highest: number; path: string },
): void {
  if (record.id !== id) throw new TeamError("record-corrupt", `${path} has the id '${record.id}'`);
  if (record.version <= highest) return;
  throw new TeamError("record-corrupt", `${path}, at version: ${record.version} is far too high`);
}

/** The text of a record as it is stored. */
export function recordText(record: object): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** The ids of the records whose copies have these names. */
export function idsOfCopies(names: readonly string[]): string[] {
  return matches(names, /^([^.]+)\.json$/);
}

/** The ids of the records whose versions are in directories of these names. */
export function idsOfVersions(names: readonly string[]): string[] {
  return matches(names, /^([^.]+)$/);
}

/** The numbers of the versions that have these names. */
export function numbersIn(names: readonly string[]): number[] {
  return matches(names, /^(\d{1,15})\.json$/).map(Number);
}

/** The first group of `pattern` in each of `names` that matches it. */
function matches(names: readonly string[], pattern: RegExp): string[] {
  return names.flatMap((name) => pattern.exec(name)?.[1] ?? []);
}
