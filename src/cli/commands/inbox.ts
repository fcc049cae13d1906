import type { MemberName } from "../../protocol/ids.ts";
import { mailNewestFirst } from "../../team/view/read-pages.ts";
import type { ListedMail } from "../../team/view/team-view.ts";
import { type Command, lookOptions } from "../command.ts";
import { Newest } from "../newest.ts";
import { jsonText } from "../render/json-text.ts";
import { mailJson, mailLine } from "../render/mail.ts";

/** This many messages of the largest size still fit into one string, as `--json` needs. */
const shownUnread = 200;
const shownDelivered = 20;
const shownSetAside = 20;

export const inbox: Command = {
  name: "inbox",
  group: "look",
  summary: "Show a member's mail (default: the lead's): unread first, then the last delivered",
  parameters: ["[<name>]"],
  options: lookOptions,
  examples: [
    { call: "troupe inbox", does: "the lead's mail; nothing is marked as read" },
    { call: "troupe inbox alice", does: "alice's unread mail, and what she read last" },
  ],

  async run({ positionals, json, teamDir }, io) {
    const view = await io.viewTeam(teamDir);
    // Loaded only here: it checks names by the schemas, which are slow to load.
    const { findMember } = await import("../../team/find-member.ts");
    const team = await view.team();
    const owner = findMember(team, positionals[0] ?? team.lead);
    const mail = await sort(mailNewestFirst(view, owner));

    if (json) io.out(jsonText(asJson(owner, mail), 2));
    else for (const line of asLines(owner, mail)) io.out(line);
    return 0;
  },
};

interface SortedMail {
  unread: Newest<ListedMail>;
  settled: Newest<ListedMail>;
  setAside: Newest<ListedMail>;
}

/** The newest unread, settled and set-aside mail. */
async function sort(newestFirst: AsyncIterable<ListedMail>): Promise<SortedMail> {
  const unread = new Newest<ListedMail>(shownUnread);
  const settled = new Newest<ListedMail>(shownDelivered);
  const setAside = new Newest<ListedMail>(shownSetAside);
  const kinds = {
    ...{ queued: unread, "set aside": setAside },
    ...{ delivered: settled, undelivered: settled, withdrawn: settled },
  };
  for await (const record of newestFirst) {
    kinds[record.state].add(record);
    // Mail older than this much settled mail is settled too.
    if (settled.isFull) break;
  }
  return { unread, settled, setAside };
}

function asJson(owner: MemberName, { unread, settled, setAside }: SortedMail): object {
  const show = (mail: Newest<ListedMail>) =>
    mail.oldestFirst().map((record) => mailJson(record, owner));
  return {
    name: owner,
    unread: show(unread),
    recent: show(settled),
    set_aside: show(setAside),
    more: { unread: unread.more, set_aside: setAside.more },
  };
}

function asLines(owner: MemberName, { unread, settled, setAside }: SortedMail): string[] {
  const show = (mail: Newest<ListedMail>, kind: string) => [
    ...(mail.more > 0 ? [`Older ${kind} not shown: ${mail.more}.`] : []),
    ...mail.oldestFirst().map((record) => mailLine(record, owner)),
  ];
  const unreadLines = show(unread, "unread messages");
  return [
    ...(unreadLines.length > 0 ? unreadLines : [`No unread mail for ${owner}.`]),
    ...settled.oldestFirst().map((record) => mailLine(record, owner)),
    ...show(setAside, "lines that were set aside,"),
  ];
}
