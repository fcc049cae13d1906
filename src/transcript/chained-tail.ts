import { parseLine } from "../lib/json-lines.ts";
import type { FileLine, LineReader } from "../lib/line-reader.ts";
import { TranscriptEntry } from "../protocol/transcript.ts";
import {
  type ChainLink,
  chainStart,
  type EntryChain,
  follows,
  type SealedPlace,
} from "./entry-chain.ts";

/** A line that is not an entry of this transcript. */
export interface ForeignLine {
  line: FileLine;
  reason: string;
}

interface ChainedEntry {
  entry: TranscriptEntry;
  place: SealedPlace;
  /** A later `rewind` has made it void. */
  isVoid: boolean;
}

/** A transcript from the newest compaction on that counts. */
export interface ChainedTail {
  /** Those that count, in order, with a `gap` in the place of missing entries. */
  entries: TranscriptEntry[];
  /** The offset of the first line that was read. */
  offset: number;
  /** The entry before the first one, as far as it is known. */
  before: ChainLink;
  /** The last entry that was found. */
  last: ChainLink;
  foreign: ForeignLine[];
  /** How many entries are missing. */
  lost: number;
  /** False if the lines are not exactly these entries in this order. */
  isSound: boolean;
}

export interface TailOptions {
  chain: EntryChain;
  /** The recorded end of the transcript; undefined if it is not known. */
  head: ChainLink | undefined;
  /** True if the record should exist and is missing. */
  isHeadLost: boolean;
  /** True if bytes at the end were not an entry and have been cut off. */
  isTorn: boolean;
}

/** Reads a transcript back to its newest compaction, and repairs the order of its entries. */
export async function readChainedTail(
  reader: LineReader | undefined,
  { chain, head, isHeadLost, isTorn }: TailOptions,
): Promise<ChainedTail> {
  const found: ChainedEntry[] = [];
  const foreign: ForeignLine[] = [];
  let offset = 0;
  let voidFrom = Number.POSITIVE_INFINITY;
  for await (const line of reader?.backwards() ?? []) {
    const { bytes } = line;
    if (bytes.length === 0) continue;
    const { read, reason } = readLine(line, chain);
    if (!read) {
      foreign.push({ line, reason });
      continue;
    }
    const { entry, place } = read;
    const isVoid = place.number >= voidFrom;
    found.push({ ...read, isVoid });
    // By the numbers in the chain: of the entries in between, some may be missing.
    if (!isVoid && entry.type === "rewind") voidFrom = place.number - entry.voids;
    if (isVoid || entry.type !== "compaction") continue;
    offset = line.offset;
    break;
  }
  foreign.reverse();
  // The number of entries is unknown, and other lines are in their place.
  const mayMissEnd = isHeadLost && (isTorn || foreign.length > 0);
  const isWhole = offset === 0;
  return { offset, foreign, ...arrange(found.reverse(), { head, isWhole, foreign, mayMissEnd }) };
}

/** The entry in `line`, or the reason why it is not an entry. */
function readLine(
  line: FileLine,
  chain: EntryChain,
): { read?: Omit<ChainedEntry, "isVoid">; reason: string } {
  let reason = `${line.path}, byte ${line.offset} was not written by troupe`;
  if (line.isCut) return { reason: `${line.path}, byte ${line.offset} is too long for an entry` };
  const place = chain.placeOf(line.bytes);
  if (!place) return { reason };
  const entry = parseLine(line, TranscriptEntry, (damage) => {
    reason = damage.reason;
  });
  return entry ? { read: { entry, place }, reason } : { reason };
}

interface ArrangeOptions {
  head: ChainLink | undefined;
  /** True if these are all lines of the file. */
  isWhole: boolean;
  foreign: readonly ForeignLine[];
  /** True if entries after the last one may be missing. */
  mayMissEnd: boolean;
}

/** Puts entries in their order, each once, with a gap wherever some are missing. */
function arrange(found: readonly ChainedEntry[], options: ArrangeOptions) {
  const { head, isWhole, foreign, mayMissEnd } = options;
  const ordered = inOrder(found);
  const first = ordered[0]?.place;
  const before = isWhole || !first ? chainStart : { number: first.number - 1, sig: first.after };
  const entries: TranscriptEntry[] = [];
  let lost = 0;
  let isSound = foreign.length === 0 && ordered.every((each, index) => each === found[index]);
  const miss = (count: number, at: string, isOfVoid = false) => {
    isSound = false;
    lost += count;
    if (!isOfVoid) entries.push({ type: "gap", at, lost: count });
  };
  let last: ChainLink = before;
  let isAfterVoid = false;
  for (const { entry, place, isVoid } of ordered) {
    // All that is between a void entry and its rewind is void: nothing is missing there.
    const count = Math.max(0, place.number - last.number - 1);
    if (!follows(place, last)) miss(count, entry.at, isAfterVoid);
    if (!isVoid) entries.push(entry);
    last = place;
    isAfterVoid = isVoid;
  }
  const at = ordered.at(-1)?.entry.at ?? new Date(0).toISOString();
  const missing = mayMissEnd ? 0 : missingAtEnd(ordered, { head, last });
  if (missing !== undefined) miss(missing, at);
  return { entries, before, last, lost, isSound: isSound && ordered.length === found.length };
}

/** Sorted by number; of several with the same number, the first. */
function inOrder(found: readonly ChainedEntry[]): ChainedEntry[] {
  const byNumber = new Map<number, ChainedEntry>();
  for (const each of found) {
    if (!byNumber.has(each.place.number)) byNumber.set(each.place.number, each);
  }
  return [...byNumber.values()].sort((a, b) => a.place.number - b.place.number);
}

/** How many entries are missing after the last one; undefined if none is. */
function missingAtEnd(
  ordered: readonly ChainedEntry[],
  { head, last }: { head: ChainLink | undefined; last: ChainLink },
): number | undefined {
  if (!head || head.number === 0) return undefined;
  if (head.number > last.number) return head.number - last.number;
  // The entry that this machine wrote last under that number is not here: these are the entries of
  // another copy.
  const same = ordered.find(({ place }) => place.number === head.number);
  return same && same.place.sig !== head.sig ? 0 : undefined;
}
