import type { MemberName } from "../protocol/ids.ts";

/**
 * What files had in them before the tools of a team changed them, as far back as is kept.
 *
 * Every backend promises, and src/testing/conformance/change-history.ts checks, that:
 * - a change is known as soon as `keep` resolves, with the content before it unless that is secret;
 * - only so much is kept, the newest changes, and `since` says where earlier ones were dropped.
 */
export interface ChangeHistory {
  /** Notes a change before it is made. */
  keep(change: NotedChange): Promise<void>;
  /** The changes that were noted since then, and all that came after these. */
  since(date: Date): Promise<KnownChanges>;
  /** The content with this SHA-256 in hex; undefined where it is not kept. */
  content(hash: string): Promise<Buffer | undefined>;
}

/** A change that is about to be made. */
export interface ComingChange {
  /** The workspace that the file is in. */
  root: string;
  /** The real path of the file. */
  path: string;
  /** Its content; undefined where there is no such file. */
  before: Buffer | undefined;
  /** What it will be; undefined where the file is to be removed. */
  after: Buffer | undefined;
}

/** A change, and what the history needs to know to keep it. */
export interface NotedChange extends ComingChange {
  /** Whose tool makes it; `user` where the person goes back, and the file gets earlier content. */
  member: MemberName;
  /** True where the content before has a secret in it: a secret stays where it is, and is not copied. */
  isSecret: boolean;
  /** Whether older changes are dropped where there is no room for its content. */
  makesRoom: boolean;
}

/** A change that was noted. */
export interface KnownChange {
  /** When it was noted, in UTC. */
  at: string;
  /** Whose tool made it; `user` where the person went back, and the file got earlier content. */
  member: MemberName;
  /** The workspace that the file is in. */
  root: string;
  /** The real path of the file. */
  path: string;
  /** The SHA-256 of the content before; null where there was no such file. */
  before: string | null;
  /** The SHA-256 of the content that it got; null where the change removed it. */
  after: string | null;
  /** False where the content before is not kept: it has a secret in it, or there was no room. */
  kept: boolean;
}

/** The changes since some time. */
export interface KnownChanges {
  /** Oldest first. */
  changes: KnownChange[];
  /** False where the first ones were dropped to make room. */
  isWhole: boolean;
}

/** How much is kept. */
export interface HistoryLimits {
  changes: number;
  bytes: number;
}

export const standardLimits: HistoryLimits = { changes: 2_000, bytes: 256 * 1024 * 1024 };

/** The changes since a time: all that follow, since the clock may have been set back. */
export function changesSince(
  date: Date,
  { changes, droppedUntil }: { changes: readonly KnownChange[]; droppedUntil: string | undefined },
): KnownChanges {
  const isLater = (at: string) => Date.parse(at) >= date.getTime();
  const first = changes.findIndex(({ at }) => isLater(at));
  return {
    changes: first < 0 ? [] : changes.slice(first),
    isWhole: droppedUntil === undefined || !isLater(droppedUntil),
  };
}

/** When the last of these changes was made; undefined where there are none. */
export function latestOf(times: readonly string[]): string | undefined {
  if (times.length === 0) return undefined;
  return new Date(Math.max(...times.map((time) => Date.parse(time)))).toISOString();
}

interface RecentChanges<T> {
  /** Oldest first. */
  recent: T[];
  /** The size of their contents. */
  bytes: number;
}

interface NeededSpace {
  limits: HistoryLimits;
  /** The size of the content that comes next. */
  coming: number;
  /** The size of the content with this hash. */
  sizeOf(hash: string): number;
}

/** All changes, where they are within the limits; otherwise the newest, so that there is room for more. */
export function findRecent<T extends KnownChange>(
  changes: readonly T[],
  space: NeededSpace,
): RecentChanges<T> {
  const all = findNewest(changes, space);
  if (all.recent.length === changes.length) return all;
  const limits = { changes: space.limits.changes * 0.75, bytes: space.limits.bytes * 0.75 };
  return findNewest(changes, { ...space, limits });
}

export function findNewest<T extends KnownChange>(
  changes: readonly T[],
  { limits, coming, sizeOf }: NeededSpace,
): RecentChanges<T> {
  const recent: T[] = [];
  const counted = new Set<string | null>();
  const maxBytes = Math.max(0, limits.bytes - coming);
  let bytes = 0;
  for (const change of changes.toReversed()) {
    const { before } = change;
    const size = before === null || counted.has(before) ? 0 : sizeOf(before);
    if (bytes + size > maxBytes || recent.length >= limits.changes) break;
    counted.add(before);
    bytes += size;
    recent.push(change);
  }
  return { recent: recent.reverse(), bytes };
}
