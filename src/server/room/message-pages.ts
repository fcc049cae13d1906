import { hasErrno, TeamError } from "../../errors.ts";
import { mapInBatches } from "../../lib/batches.ts";
import { idOf } from "../../mailbox/mail-history.ts";
import type { MailRecord } from "../../mailbox/mailbox.ts";
import type { MessagesPage, MessageView } from "../../protocol/dashboard.ts";
import type { MessagesQuery } from "../../protocol/dashboard-requests.ts";
import { MemberName, type MessageId } from "../../protocol/ids.ts";
import { isShown, type Position } from "../../protocol/message.ts";
import type { TeamObserver } from "../../team/team-observer.ts";
import type { WantedDelivery } from "../../team/transcript-file.ts";
import { MailMerge } from "./mail-merge.ts";
import { mailIdOf, messageView } from "./message-view.ts";
import { Refused } from "./refused.ts";

/** So many lines are looked at for one page. */
const maxScanned = 3_000;

/** A record and whose mailbox it lies in. */
interface OwnedRecord {
  owner: MemberName;
  record: MailRecord;
}

/** The newest messages before a place, of all mailboxes, as far as they are asked for. */
export async function messagesPage(
  observer: TeamObserver,
  query: MessagesQuery,
): Promise<MessagesPage> {
  const { before, limit } = query;
  const from = before === undefined ? undefined : parsePlaces(before);
  const owners = observer.members().filter((owner) => !from || from.has(owner));
  const filtered = query.member !== undefined || query.types !== undefined || query.search;
  const wanted = filtered ? maxScanned : limit;
  const merge = new MailMerge({ observer, owners, ...(from && { from }), wanted });
  const matches = matcher(query);
  const seen = new Set<string>();
  const found: OwnedRecord[] = [];
  for (let scanned = 0; scanned < maxScanned && found.length < limit; scanned++) {
    const next = await merge.next();
    if (!next) break;
    const { owner, line } = next;
    for (const record of line.records) {
      const view = messageView(record, { owner, seenAt: null });
      if (seen.has(view.id) || !matches(view)) continue;
      seen.add(view.id);
      found.push({ owner, record });
    }
  }
  const places = merge.places();
  const messages = await viewsOf(observer, found.reverse());
  return { messages, before: places ? formatPlaces(places) : null };
}

/** One message whole. */
export async function wholeMessage(
  observer: TeamObserver,
  to: string,
  key: string,
): Promise<MessageView> {
  const owner = observer.findMember(to);
  const id = mailIdOf(key);
  const [, generation, offset] = /^hand-(\d+)-(\d+)$/.exec(id) ?? [];
  const search =
    generation === undefined
      ? { having: id }
      : { before: { generation: Number(generation), offset: Number.POSITIVE_INFINITY } };
  for await (const { records, start } of observer.mailLines(owner, search)) {
    const record = records.find((each) => idOf(each) === id);
    if (record) {
      const seenAt = (await seenTimes(observer, [{ owner, record }])).get(idOf(record)) ?? null;
      const shown = withEnd(observer, { owner, record });
      return messageView(shown, { owner, seenAt, isWhole: true });
    }
    if (offset !== undefined && start.offset <= Number(offset)) break;
  }
  throw new Refused({
    status: 404,
    code: "message-unknown",
    message: `There is no such message to '${owner}'`,
    hint: "Old mail is dropped when a mailbox has more than 64 MiB of history.",
  });
}

/** What waits for somebody who has ended will never be seen. */
export function withEnd({ team }: TeamObserver, { owner, record }: OwnedRecord): MailRecord {
  const hasEnded = team.members.some(({ name, status }) => name === owner && status === "shutdown");
  if (!hasEnded || record.state !== "queued") return record;
  return { ...record, state: "undelivered" };
}

async function viewsOf(
  observer: TeamObserver,
  found: readonly OwnedRecord[],
): Promise<MessageView[]> {
  const seen = await seenTimes(observer, found);
  return found.map(({ owner, record }) => {
    const seenAt = seen.get(idOf(record)) ?? null;
    return messageView(withEnd(observer, { owner, record }), { owner, seenAt });
  });
}

/** When those of `found` that were delivered came into their recipients' transcripts. */
export async function seenTimes(
  observer: TeamObserver,
  found: readonly OwnedRecord[],
): Promise<Map<MessageId, string>> {
  const wanted = new Map<MemberName, WantedDelivery[]>();
  for (const { owner, record } of found) {
    if (record.state !== "delivered" || !isShown(record.message)) continue;
    const { id, timestamp } = record.message;
    const delivery = { id, sentAt: new Date(timestamp * 1000) };
    wanted.set(owner, [...(wanted.get(owner) ?? []), delivery]);
  }
  const times = await mapInBatches([...wanted], async ([owner, deliveries]) => {
    return deliveryTimes(observer.transcript(owner), deliveries);
  });
  return new Map(times.flatMap((each) => [...each]));
}

/** None where the transcript is no file that can be read: the messages are not to be lost with it. */
async function deliveryTimes(
  transcript: ReturnType<TeamObserver["transcript"]>,
  deliveries: readonly WantedDelivery[],
): Promise<ReadonlyMap<MessageId, string>> {
  try {
    await using file = await transcript.open();
    return (await file?.deliveries(deliveries)) ?? new Map();
  } catch (error) {
    if (isUnreadable(error)) return new Map();
    throw error;
  }
}

function isUnreadable(error: unknown): boolean {
  if (error instanceof TeamError) return error.code === "record-corrupt";
  return hasErrno(error, "EACCES", "EPERM", "EISDIR", "ELOOP", "EIO");
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

const placePattern = /^([a-z0-9_-]+)~(\d{1,10})~(\d{1,15})$/;

function formatPlaces(places: ReadonlyMap<MemberName, Position>): string {
  return [...places]
    .map(([owner, { generation, offset }]) => `${owner}~${generation}~${offset}`)
    .join(".");
}

function parsePlaces(text: string): Map<MemberName, Position> {
  return new Map(
    text.split(".").map((part): [MemberName, Position] => {
      const [, name, generation, offset] = placePattern.exec(part) ?? [];
      const owner = MemberName.safeParse(name);
      if (owner.success) {
        return [owner.data, { generation: Number(generation), offset: Number(offset) }];
      }
      throw new Refused({
        status: 400,
        code: "input-invalid",
        message: "`before` is not a place in the messages",
        hint: "Use what an earlier answer has as `before`.",
      });
    }),
  );
}
