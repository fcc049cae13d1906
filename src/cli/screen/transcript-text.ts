import type { MemberName } from "../../protocol/ids.ts";
import type { PageCursor, TeamView, TranscriptPage } from "../../team/view/team-view.ts";
import { renderItem } from "../render/item.ts";
import { EntryItems } from "../talk/entry-items.ts";
import type { PagerPart, PagerText } from "./pager.ts";

/** How many entries are read at a time. */
const pageEntries = 50;

/** A member's whole transcript, read page by page from its end. */
export async function transcriptText(
  view: Pick<TeamView, "transcript">,
  member: MemberName,
): Promise<PagerText> {
  let before: PageCursor | null = null;
  const read = async (query: { before?: PageCursor }) => {
    const page = await view.transcript(member, { ...query, limit: pageEntries });
    // Another transcript has replaced the one that is open.
    before = page.isRestarted && query.before !== undefined ? null : page.before;
    return partOf(page, member);
  };
  const part = await read({});
  return {
    title: `everything that ${member} saw, said and did`,
    part,
    earlier: async () => (before === null ? undefined : await read({ before })),
  };
}

function partOf({ entries }: TranscriptPage, member: MemberName): PagerPart {
  const made = new EntryItems(member);
  const items = entries.flatMap(({ entry }) => (entry ? made.itemsOf(entry) : []));
  return (format) => items.flatMap((item) => renderItem(item, { ...format, isWhole: true }).lines);
}
