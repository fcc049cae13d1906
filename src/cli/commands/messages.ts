import type { MemberName } from "../../protocol/ids.ts";
import { memberNames } from "../../team/find-member.ts";
import { mailNewestFirst } from "../../team/view/read-pages.ts";
import type { ListedMail, TeamView } from "../../team/view/team-view.ts";
import { type Command, lookOptions } from "../command.ts";
import { Newest } from "../newest.ts";
import { jsonText } from "../render/json-text.ts";
import { mailJson, mailLine } from "../render/mail.ts";

/** How much of each mailbox is listed. */
const shownMessages = 100;
const shownSetAside = 20;

interface MailboxEntry {
  owner: MemberName;
  record: ListedMail;
}

export const messages: Command = {
  name: "messages",
  group: "look",
  summary: "Show the newest mail of all members, and whether it was read",
  parameters: [],
  options: lookOptions,
  examples: [
    { call: "troupe messages", does: "who wrote what to whom, in the order sent" },
    {
      call: "troupe messages --json | jq '.[] | select(.state==\"queued\")'",
      does: "mail that nobody has read yet",
    },
  ],

  async run({ json, teamDir }, io) {
    const all = await newest(await io.viewTeam(teamDir));

    const shown = json ? all.map(({ record, owner }) => mailJson(record, owner)) : [];
    if (json) io.out(jsonText(shown, 2));
    else if (all.length === 0) io.out("No messages.");
    else for (const { record, owner } of all) io.out(mailLine(record, owner));
    return 0;
  },
};

/** The newest mail in the order sent. Lines that were set aside have no time and come last. */
async function newest(view: TeamView): Promise<MailboxEntry[]> {
  const all: MailboxEntry[] = [];
  for (const owner of memberNames(await view.team())) {
    const mail = new Newest<MailboxEntry>(shownMessages);
    const setAside = new Newest<MailboxEntry>(shownSetAside);
    for await (const record of mailNewestFirst(view, owner)) {
      (record.state === "set aside" ? setAside : mail).add({ owner, record });
      if (mail.isFull) break;
    }
    all.push(...mail.oldestFirst(), ...setAside.oldestFirst());
  }
  return all.sort((a, b) => sentAt(a) - sentAt(b));
}

function sentAt({ record }: MailboxEntry): number {
  return record.state === "set aside" ? Number.MAX_VALUE : record.message.timestamp;
}
