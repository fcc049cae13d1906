import type { MailRecord } from "../../mailbox/mailbox.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { TeamObserver } from "../../team/team-observer.ts";
import type { Command } from "../command.ts";
import { parseTeamArguments } from "../parse-arguments.ts";
import { mailJson, mailLine } from "../render/mail.ts";

/** How many messages of each mailbox are shown. */
const shownPerMember = 100;

interface Sent {
  owner: MemberName;
  record: MailRecord;
}

export const messages: Command = {
  name: "messages",
  summary: "The newest mail of everybody, and whether it was seen",
  usage: "messages [--json] [--team-dir <directory>]",

  async run(argv, io) {
    const limits = { usage: messages.usage, positionals: { min: 0, max: 0 } };
    const { json, teamDir } = parseTeamArguments(argv, limits);
    const all = await newest(await io.observeTeam(teamDir));

    if (json) {
      const shown = all.map(({ record, owner }) => mailJson(record, owner));
      io.out(JSON.stringify(shown, null, 2));
      return 0;
    }
    if (all.length === 0) io.out("No messages.");
    for (const { record, owner } of all) io.out(mailLine(record, owner));
    return 0;
  },
};

/** In the order of sending; what was set aside has no time of its own and comes last. */
async function newest(observer: TeamObserver): Promise<Sent[]> {
  const all: Sent[] = [];
  for (const owner of observer.members()) {
    const newestFirst: Sent[] = [];
    for await (const record of observer.mail(owner)) {
      newestFirst.push({ owner, record });
      if (newestFirst.length === shownPerMember) break;
    }
    all.push(...newestFirst.reverse());
  }
  return all.sort((a, b) => sentAt(a) - sentAt(b));
}

function sentAt({ record }: Sent): number {
  return record.state === "set aside" ? Number.MAX_VALUE : record.message.timestamp;
}
