import type { MemberName } from "../../protocol/ids.ts";
import type { TranscriptEntry } from "../../protocol/transcript.ts";
import type { ListedMail, MailPage, PageCursor, TeamView, TranscriptPage } from "./team-view.ts";

/** The first page is small: often it is enough. */
const [firstPage, maxPage] = [4, 128];

/** A member's mail, newest first. Reads little more than what is taken. */
export async function* mailNewestFirst(
  view: Pick<TeamView, "mail">,
  owner: MemberName,
): AsyncGenerator<ListedMail> {
  let from: PageCursor | null | undefined;
  for (let limit = firstPage; from !== null; limit = Math.min(2 * limit, maxPage)) {
    const page: MailPage = await view.mail(owner, { from, limit });
    yield* page.records;
    from = page.next;
  }
}

/** A member's entries, oldest first. Reads little more than what is taken. */
export async function* entriesOldestFirst(
  view: Pick<TeamView, "transcript">,
  member: MemberName,
): AsyncGenerator<TranscriptEntry> {
  let after: PageCursor | null = null;
  for (let limit = firstPage; ; limit = Math.min(2 * limit, maxPage)) {
    const page: TranscriptPage = await view.transcript(member, { after, limit });
    // Another transcript has replaced this one, or there is no more.
    if (page.isRestarted || page.after === after) return;
    for (const { entry } of page.entries) if (entry) yield entry;
    after = page.after;
  }
}

/** A member's entries, newest first. Reads little more than what is taken. */
export async function* entriesNewestFirst(
  view: Pick<TeamView, "transcript">,
  member: MemberName,
): AsyncGenerator<TranscriptEntry> {
  let before: PageCursor | null | undefined;
  for (let limit = firstPage; before !== null; limit = Math.min(2 * limit, maxPage)) {
    const page: TranscriptPage = await view.transcript(member, { before, limit });
    // Another transcript has replaced this one.
    if (page.isRestarted) return;
    for (const { entry } of page.entries.reverse()) if (entry) yield entry;
    before = page.before;
  }
}
