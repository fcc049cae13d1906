import type { EntryView, TranscriptPage } from "../../protocol/dashboard.ts";
import type { TranscriptQuery } from "../../protocol/dashboard-requests.ts";
import type { MemberName } from "../../protocol/ids.ts";
import { findMember } from "../../team/find-member.ts";
import type { ListedEntry, TranscriptPage as Part, TeamView } from "../../team/view/team-view.ts";
import { entryHas, entryView } from "./entry-view.ts";

/** So many entries are read at once for a search, and so often for one page. */
const [searchedAtOnce, maxReads] = [500, 40];

/** A part of a member's transcript: the newest, what lies before a place, or what came after one. */
export async function transcriptPage(
  view: TeamView,
  name: string,
  query: TranscriptQuery,
): Promise<TranscriptPage> {
  const member = findMember(await view.team(), name);
  const { after, before } = query;
  const first = await view.transcript(member, { after, before, limit: readLimit(query, 0) });
  const isForwards = after !== undefined && !first.isRestarted;
  const found = await (isForwards ? readOn : readBack)({ view, member, query, first });
  return { member, ...found, is_restarted: first.isRestarted };
}

interface Reading {
  view: TeamView;
  member: MemberName;
  query: TranscriptQuery;
  first: Part;
}

type Found = Pick<TranscriptPage, "entries" | "before" | "after">;

async function readBack({ view, member, query, first }: Reading): Promise<Found> {
  const newestFirst: EntryView[] = [];
  let part = first;
  for (let reads = 1; ; reads++) {
    for (const [index, listed] of [...part.entries.entries()].reverse()) {
      newestFirst.push(...shown(listed, query));
      if (newestFirst.length < query.limit) continue;
      const before = index === 0 ? part.before : listed.cursor;
      return { entries: newestFirst.reverse(), before, after: first.after };
    }
    const { before } = part;
    const rest = { before, limit: readLimit(query, newestFirst.length) };
    const isDone = before === null || reads >= maxReads;
    const next = isDone ? undefined : await view.transcript(member, { ...rest, before });
    // The page finds out about the other transcript when it goes on from here.
    if (!next || next.isRestarted) {
      return { entries: newestFirst.reverse(), before, after: first.after };
    }
    part = next;
  }
}

async function readOn({ view, member, query, first }: Reading): Promise<Found> {
  const entries: EntryView[] = [];
  let part = first;
  for (let reads = 1; ; reads++) {
    for (const [index, listed] of part.entries.entries()) {
      entries.push(...shown(listed, query));
      if (entries.length < query.limit) continue;
      const after = part.entries[index + 1]?.cursor ?? part.after;
      return { entries, before: first.before, after };
    }
    const { after } = part;
    if (part.entries.length === 0 || reads >= maxReads) {
      return { entries, before: first.before, after };
    }
    const next = await view.transcript(member, { after, limit: readLimit(query, entries.length) });
    // The page finds out about the other transcript when it goes on from here.
    if (next.isRestarted) return { entries, before: first.before, after };
    part = next;
  }
}

/** How many entries are read next. Of those without a search nearly all are shown. */
function readLimit({ limit, search }: TranscriptQuery, found: number): number {
  return search === undefined ? limit - found : searchedAtOnce;
}

function shown(listed: ListedEntry, { search }: TranscriptQuery): EntryView[] {
  const view = entryView(listed);
  return view && (search === undefined || entryHas(view, search.toLowerCase())) ? [view] : [];
}
