import type { EntriesPage, EntryView } from "../../protocol/dashboard.ts";
import type { EntriesQuery } from "../../protocol/dashboard-requests.ts";
import type { MemberName } from "../../protocol/ids.ts";
import { findMember } from "../../team/find-member.ts";
import type {
  ListedEntry,
  PageCursor,
  TeamView,
  TranscriptPage,
} from "../../team/view/team-view.ts";
import { entryHas, entryView } from "./entry-view.ts";

/** How many entries are read at once for a search, and how often for one page. */
const [searchedAtOnce, maxReads] = [500, 40];

/** A part of a member's transcript: the newest entries, those before a place, or those after one. */
export async function transcriptPage(
  view: TeamView,
  name: string,
  query: EntriesQuery,
): Promise<EntriesPage> {
  const member = findMember(await view.team(), name);
  const { after, before } = query;
  const first = await view.transcript(member, { after, before, limit: readLimit(query, 0) });
  const isForwards = after !== undefined && !first.isRestarted;
  const { entries, end } = await collect(first, { view, member, query, isForwards });
  const places = isForwards
    ? { entries, before: first.before, after: end ?? first.after }
    : { entries: entries.reverse(), before: end, after: first.after };
  return { member, ...places, is_restarted: first.isRestarted };
}

interface CollectOptions {
  view: TeamView;
  member: MemberName;
  query: EntriesQuery;
  isForwards: boolean;
}

/** The entries to show, in the order of reading, and where to go on behind them. */
async function collect(
  first: TranscriptPage,
  { view, member, query, isForwards }: CollectOptions,
): Promise<{ entries: EntryView[]; end: PageCursor | null }> {
  const entries: EntryView[] = [];
  let page = first;
  for (let reads = 1; ; reads++) {
    const listed = isForwards ? page.entries : page.entries.toReversed();
    const end = isForwards ? page.after : page.before;
    for (const [index, each] of listed.entries()) {
      entries.push(...shownEntries(each, query));
      if (entries.length < query.limit) continue;
      const next = listed[index + 1];
      return { entries, end: next ? (isForwards ? next : each).cursor : end };
    }
    const isOver = end === null || (isForwards && listed.length === 0);
    if (isOver || reads >= maxReads) return { entries, end };
    const limit = readLimit(query, entries.length);
    const next = await view.transcript(member, { [isForwards ? "after" : "before"]: end, limit });
    // The page detects the other transcript when it continues from here.
    if (next.isRestarted) return { entries, end };
    page = next;
  }
}

/** How many entries are read next. Without a search nearly all of them are shown. */
function readLimit({ limit, search }: EntriesQuery, found: number): number {
  return search === undefined ? limit - found : searchedAtOnce;
}

function shownEntries(listed: ListedEntry, { search }: EntriesQuery): EntryView[] {
  const view = entryView(listed);
  return view && (search === undefined || entryHas(view, search.toLowerCase())) ? [view] : [];
}
