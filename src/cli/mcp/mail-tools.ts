import { z } from "zod";
import type { MemberName } from "../../protocol/ids.ts";
import { findMember, memberNames } from "../../team/find-member.ts";
import type { ListedMail, PageCursor, TeamView } from "../../team/view/team-view.ts";
import { FilledText } from "../../tools/team/inputs.ts";
import { fitting, markedMail } from "./marked.ts";
import { personTool } from "./person-tool.ts";

export const sendMessage = personTool({
  name: "send_message",
  description:
    "Write to a member of the team as its person (`user`); it wakes if it is idle. `lead` is the member that people talk to; `all` is everybody.",
  input: z.object({ to: FilledText.describe("a member's name, or all"), content: FilledText }),
  async answer({ to, content }, access) {
    const view = await access.view();
    const isRunning = (await view.lead()) !== undefined;
    const when = isRunning
      ? ""
      : ". The team is not running: the message waits until it runs again";
    if (to.toLowerCase() === "all") {
      return `Sent to ${await view.broadcast(content)} members${when}`;
    }
    const message = await view.send(to, content);
    return `Sent message ${message.id} to ${message.to}${when}`;
  },
});

const Count = z.number().int().min(1).max(100);

/** A cursor is opaque, and has no other characters. */
export const Cursor = z.string().regex(/^[A-Za-z0-9_-]{1,120}$/, "must be one that a result gave");

export const inbox = personTool({
  name: "inbox",
  description:
    "A member's mail, the newest at the end (default: the lead's, where results and reports arrive). Marks nothing as read.",
  input: z.object({
    name: FilledText.optional(),
    limit: Count.optional().describe("default 20"),
    from: Cursor.optional().describe("for older mail: what the result before says"),
  }),
  async answer({ name, limit = 20, from }, access) {
    const view = await access.view();
    const owner = await memberOf(view, name);
    return mailPage(view, owner, { limit, from });
  },
});

/** A page of a member's mail, the newest at its end. */
export async function mailPage(
  view: TeamView,
  owner: MemberName,
  query: { limit: number; from?: PageCursor | undefined },
): Promise<string> {
  const { records, next } = await view.mail(owner, query);
  const texts = records.map(markedMail);
  const shown = fitting(texts);
  const older = records[shown]?.cursor ?? next;
  return [
    records.length === 0 ? `No mail for ${owner}.` : `Mail of ${owner}, the newest at the end.`,
    ...(older === null ? [] : [`Older mail: call inbox with from "${older}".`]),
    ...texts.slice(0, shown).reverse(),
  ].join("\n");
}

export const messages = personTool({
  name: "messages",
  description: "The newest mail of all members in the order sent: who wrote what to whom.",
  input: z.object({ limit: Count.optional().describe("default 30") }),
  async answer({ limit = 30 }, access) {
    const view = await access.view();
    const owners = memberNames(await view.team());
    const pages = await Promise.all(owners.map((owner) => view.mail(owner, { limit })));
    const newestFirst = pages
      .flatMap(({ records }) => records)
      .sort((a, b) => sentAt(b) - sentAt(a));
    const texts = newestFirst.slice(0, limit).map(markedMail);
    if (texts.length === 0) return "No messages.";
    return [
      "The newest mail, the newest at the end.",
      ...texts.slice(0, fitting(texts)).reverse(),
    ].join("\n");
  },
});

/** A line that was set aside has no time. */
function sentAt(record: ListedMail): number {
  return record.state === "set aside" ? 0 : record.message.timestamp;
}

/** A member by the name that a client gave (default: the lead). */
export async function memberOf(view: TeamView, name: string | undefined): Promise<MemberName> {
  const team = await view.team();
  return findMember(team, name ?? team.lead);
}
