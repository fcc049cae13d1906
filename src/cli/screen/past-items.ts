import { lead, type MemberName, user } from "../../protocol/ids.ts";
import type { TranscriptEntry } from "../../protocol/transcript.ts";
import type { TeamView } from "../../team/view/team-view.ts";
import { EntryItems } from "../talk/entry-items.ts";
import type { TalkItem } from "../talk/event-items.ts";

/** Where the rest is, if only the last items are shown. */
export const moreBefore = "… earlier items: /show all, or ctrl-o and h";

/** How many entries of a transcript are read for the items before this screen. */
const readEntries = 60;

interface PastOptions {
  /** The most items. */
  most: number;
  /** When this process opened the team: a run that began later is not over yet. */
  openedAt: string;
  /** Since when the member's items are known (default: not yet). */
  knownSince?: string | undefined;
}

/** The last items of a member from before this screen, and a note if its last run was cut off. */
export async function pastItems(
  view: Pick<TeamView, "transcript">,
  member: MemberName,
  { most, openedAt, knownSince }: PastOptions,
): Promise<TalkItem[]> {
  const page = await view.transcript(member, { limit: readEntries });
  const all = withoutVoid(page.entries.flatMap(({ entry }) => entry ?? []));
  const entries = knownSince === undefined ? all : before(knownSince, all);
  const made = new EntryItems(member);
  const items = entries.flatMap((entry) => made.itemsOf(entry));
  const isPart = items.length > most || page.before !== null;
  const cutOff = member === lead ? cutOffNote(before(openedAt, all)) : undefined;
  return [
    ...(isPart ? [notice(moreBefore)] : []),
    ...items.slice(-most),
    ...(cutOff === undefined ? [] : [notice(cutOff, "bad")]),
  ];
}

function before(time: string, entries: readonly TranscriptEntry[]): TranscriptEntry[] {
  return entries.filter(({ at }) => Date.parse(at) < Date.parse(time));
}

/** Entries before a rewind that no longer count were taken back by the person. */
function withoutVoid(entries: readonly TranscriptEntry[]): TranscriptEntry[] {
  const rewinds = entries.flatMap((entry, at) =>
    entry.type === "rewind" ? { from: at - entry.voids, at } : [],
  );
  return entries.filter((_, index) => !rewinds.some(({ from, at }) => from <= index && index < at));
}

/** A run that began after the last end of one has not ended. */
function cutOffNote(entries: readonly TranscriptEntry[]): string | undefined {
  const end = entries.findLastIndex(({ type }) => type === "run-end");
  const since = entries.slice(end + 1);
  if (since.some((entry) => entry.type === "delivery" && entry.message.from === user)) {
    return "Your last message was not answered: the run was cut off. Write to continue it.";
  }
  const isBegun = since.some(({ type }) => type === "run-start");
  return isBegun ? "The lead's last run was cut off. Write to continue it." : undefined;
}

function notice(text: string, tone: "quiet" | "bad" = "quiet"): TalkItem {
  return { type: "notice", text, tone };
}
