import { z } from "zod";
import type { MemberName } from "../../protocol/ids.ts";
import type { TranscriptEntry } from "../../protocol/transcript.ts";
import { findMember } from "../../team/find-member.ts";
import type { PageCursor, TeamView } from "../../team/view/team-view.ts";
import { type Command, lookOptions } from "../command.ts";
import { parseOptions } from "../parse-arguments.ts";
import { jsonText } from "../render/json-text.ts";
import { TranscriptLines, tellsPeople } from "../render/transcript-lines.ts";

const count = "a whole number from 0 to 1000000";
const Flags = z.object({
  follow: z.boolean().default(false),
  lines: z.coerce.number(count).int(count).nonnegative(count).max(1_000_000, count).default(50),
});

export const log: Command = {
  name: "log",
  group: "look",
  summary: "Show what a member saw, said and did (default: the lead)",
  parameters: ["[<name>]"],
  options: {
    follow: {
      short: "f",
      summary: "keep printing new entries until Ctrl-C, a reply once it is whole",
    },
    lines: { short: "n", takes: "<n>", summary: "number of past entries to show (default: 50)" },
    ...lookOptions,
  },
  examples: [
    { call: "troupe log", does: "the last 50 entries of the lead's transcript" },
    { call: "troupe log alice -f", does: "watch alice work" },
    {
      call: "troupe log alice -n 999 --json | jq -r 'select(.type==\"run-end\").outcome'",
      does: "how alice's last runs ended; --json gives one entry a line, as it is stored",
    },
  ],
  notes: [
    "A transcript has whole entries, so -f prints a reply once it is complete. The screen and the dashboard show it as it is written.",
  ],

  async run({ positionals, json, teamDir, values }, io) {
    const flags = parseOptions(Flags, values, log);
    const view = await io.viewTeam(teamDir);
    const team = await view.team();
    const member = findMember(team, positionals[0] ?? team.lead);
    const rendered = new TranscriptLines();
    const counts = json ? () => true : tellsPeople;
    const show = (entry: TranscriptEntry) => {
      for (const line of json ? [jsonText(entry)] : rendered.lines(entry)) io.out(line);
    };

    const { entries, after } = await lastEntries(view, member, { last: flags.lines, counts });
    for (const entry of entries) show(entry);
    if (flags.follow) {
      for await (const { entry } of view.followTranscript(member, { after, signal: io.signal })) {
        if (entry && counts(entry)) show(entry);
      }
    } else if (entries.length === 0 && !json) io.out(`Nothing in ${member}'s transcript.`);
    return 0;
  },
};

interface LastEntriesOptions {
  last: number;
  counts(entry: TranscriptEntry): boolean;
}

/** The last entries, oldest first, and the cursor after them. */
async function lastEntries(
  view: TeamView,
  member: MemberName,
  { last, counts }: LastEntriesOptions,
): Promise<{ entries: TranscriptEntry[]; after: PageCursor }> {
  const newestFirst: TranscriptEntry[] = [];
  // Read even if no entry is wanted: the page has the cursor for following.
  let page = await view.transcript(member, { limit: clamp(last) });
  const { after } = page;
  for (;;) {
    for (const { entry } of page.entries.reverse()) {
      if (newestFirst.length < last && entry && counts(entry)) newestFirst.push(entry);
    }
    const missing = last - newestFirst.length;
    if (missing <= 0 || page.before === null) break;
    page = await view.transcript(member, { before: page.before, limit: clamp(missing) });
    if (page.isRestarted) break;
  }
  return { entries: newestFirst.reverse(), after };
}

function clamp(wanted: number): number {
  return Math.min(Math.max(wanted, 1), maxPage);
}

const maxPage = 500;
