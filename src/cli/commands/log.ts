import { z } from "zod";
import { type Command, lookOptions } from "../command.ts";
import { parseOptions } from "../parse-arguments.ts";
import { jsonText } from "../render/json-text.ts";
import { TranscriptLines, tellsPeople } from "../render/transcript-lines.ts";

const Flags = z.object({
  follow: z.boolean().default(false),
  lines: z.coerce.number().int().nonnegative().max(1_000_000).default(50),
});

export const log: Command = {
  name: "log",
  group: "look",
  summary: "What a member saw, said and did; the lead unless you name another",
  parameters: ["[<name>]"],
  options: {
    follow: { short: "f", summary: "go on with what comes, until Ctrl-C" },
    lines: { short: "n", takes: "<n>", summary: "how many entries of the past are shown (50)" },
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

  async run({ positionals, json, teamDir, values }, io) {
    const flags = parseOptions(Flags, values, log);
    const observer = await io.observeTeam(teamDir);
    const member = observer.findMember(positionals[0] ?? observer.team.lead);
    const rendered = new TranscriptLines();
    const entries = observer.transcript(member).follow({
      last: flags.lines,
      counts: json ? () => true : tellsPeople,
      signal: flags.follow ? io.signal : AbortSignal.abort(),
    });

    let isEmpty = true;
    for await (const entry of entries) {
      isEmpty = false;
      for (const line of json ? [jsonText(entry)] : rendered.lines(entry)) io.out(line);
    }
    if (isEmpty && !json && !flags.follow) io.out(`Nothing in ${member}'s transcript.`);
    return 0;
  },
};
