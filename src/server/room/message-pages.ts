import { mapInBatches } from "../../lib/batches.ts";
import type { MessagesPage, MessageView } from "../../protocol/dashboard.ts";
import type { MessagesQuery } from "../../protocol/dashboard-requests.ts";
import { MemberName, MessageId } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import { isShown } from "../../protocol/message-types.ts";
import { findMember, memberNames } from "../../team/find-member.ts";
import type { PageCursor, TeamView } from "../../team/view/team-view.ts";
import { Refused } from "../refusal.ts";
import { MailMerge, type OwnedMail } from "./mail-merge.ts";
import { idOf, mailIdOf, messageView } from "./message-view.ts";

/** How many records are read for one page at most. */
const maxScanned = 3_000;

/** The newest messages before a place, of all mailboxes, filtered by the query. */
export async function messagesPage(view: TeamView, query: MessagesQuery): Promise<MessagesPage> {
  const { before, limit } = query;
  const from = before === undefined ? undefined : parsePlaces(before);
  const members = memberNames(await view.team());
  const owners = members.filter((owner) => !from || from.has(owner));
  const filtered = query.member !== undefined || query.types !== undefined || query.search;
  const wanted = filtered ? maxScanned : limit;
  const merge = new MailMerge({ view, owners, from, wanted });
  const matches = matcher(query);
  const found = new Map<string, OwnedMail>();
  for (let scanned = 0; scanned < maxScanned && found.size < limit; scanned++) {
    const mail = await merge.next();
    if (!mail) break;
    const shown = messageView(mail.record, { owner: mail.owner, seenAt: null });
    if (!found.has(shown.id) && matches(shown)) found.set(shown.id, mail);
  }
  const places = merge.places();
  const messages = await viewsOf(view, [...found.values()].reverse());
  return { messages, before: places ? formatPlaces(places) : null };
}

export async function wholeMessage(view: TeamView, to: string, key: string): Promise<MessageView> {
  const owner = findMember(await view.team(), to);
  const id = MessageId.safeParse(mailIdOf(key));
  const record = id.success ? await view.message(owner, id.data) : undefined;
  if (record) {
    const times = await seenTimes(view, [{ owner, record }]);
    const seenAt = times.get(idOf(record)) ?? null;
    return messageView(record, { owner, seenAt, isWhole: true });
  }
  throw new Refused(
    404,
    "message-unknown",
    `There is no such message to '${owner}'`,
    "Old mail is dropped when a mailbox has more than 64 MiB of history.",
  );
}

async function viewsOf(view: TeamView, found: readonly OwnedMail[]): Promise<MessageView[]> {
  const seen = await seenTimes(view, found);
  return found.map(({ owner, record }) => {
    return messageView(record, { owner, seenAt: seen.get(idOf(record)) ?? null });
  });
}

/** The times at which the delivered messages of `found` came into their recipients' transcripts. */
export async function seenTimes(
  view: TeamView,
  found: readonly OwnedMail[],
): Promise<Map<MessageId, string>> {
  const wanted = new Map<MemberName, Message[]>();
  for (const { owner, record } of found) {
    if (record.state !== "delivered" || !isShown(record.message)) continue;
    wanted.set(owner, [...(wanted.get(owner) ?? []), record.message]);
  }
  const times = await mapInBatches([...wanted], ([owner, messages]) =>
    view.seenTimes(owner, messages),
  );
  return new Map(times.flatMap((each) => [...each]));
}

function matcher({ member, types, search }: MessagesQuery): (view: MessageView) => boolean {
  const wantedTypes = types === undefined ? undefined : new Set(types.split(","));
  const wanted = search?.toLowerCase();
  return (view) => {
    if (member !== undefined && view.from !== member && view.to !== member) return false;
    if (wantedTypes && !wantedTypes.has(view.type)) return false;
    if (wanted === undefined) return true;
    return [view.text, view.from, view.to].some((text) => text.toLowerCase().includes(wanted));
  };
}

/** The separators do not occur in cursors; a mailbox that is read to its start has no cursor. */
function formatPlaces(places: ReadonlyMap<MemberName, PageCursor | null>): string {
  return [...places].map(([owner, place]) => `${owner}~${place ?? ""}`).join(".");
}

function parsePlaces(text: string): Map<MemberName, PageCursor | null> {
  return new Map(
    text.split(".").map((part): [MemberName, PageCursor | null] => {
      const [, name, place] = /^([a-z0-9_-]+)~([\w-]{0,120})$/.exec(part) ?? [];
      const owner = MemberName.safeParse(name);
      if (owner.success) return [owner.data, place || null];
      throw new Refused(
        400,
        "input-invalid",
        "`before` is not a cursor of the messages",
        "Use the `before` of an earlier answer.",
      );
    }),
  );
}
