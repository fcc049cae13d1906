import type { MailRecord } from "../../mailbox/mailbox.ts";
import type { Command } from "../command.ts";
import { parseTeamArguments } from "../parse-arguments.ts";
import { mailJson, mailLine } from "../render/mail.ts";

/** How much of what was delivered is repeated. */
const shownDelivered = 20;

export const inbox: Command = {
  name: "inbox",
  summary: "A member's mail, the lead's unless you name another: unread, then the last delivered",
  usage: "inbox [<name>] [--json] [--team-dir <directory>]",

  async run(argv, io) {
    const limits = { usage: inbox.usage, positionals: { min: 0, max: 1 } };
    const { positionals, json, teamDir } = parseTeamArguments(argv, limits);
    const observer = await io.observeTeam(teamDir);
    const owner = observer.findMember(positionals[0] ?? observer.team.lead);
    const { unread, settled } = await sort(observer.mail(owner));

    if (json) {
      const show = (records: MailRecord[]) => records.map((record) => mailJson(record, owner));
      io.out(JSON.stringify({ name: owner, unread: show(unread), recent: show(settled) }, null, 2));
      return 0;
    }
    if (unread.length === 0) io.out(`No unread mail for ${owner}.`);
    for (const record of [...unread, ...settled]) io.out(mailLine(record, owner));
    return 0;
  },
};

/** All that is unread and the last of the rest, each oldest first. */
async function sort(newestFirst: AsyncIterable<MailRecord>) {
  const unread: MailRecord[] = [];
  const settled: MailRecord[] = [];
  for await (const record of newestFirst) {
    (record.state === "queued" ? unread : settled).push(record);
    // What is behind so much settled mail is settled too.
    if (settled.length === shownDelivered) break;
  }
  return { unread: unread.reverse(), settled: settled.reverse() };
}
