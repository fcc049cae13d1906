import { z } from "zod";
import type { TeamSummary } from "../../team/summary.ts";
import type { Team } from "../../team/team.ts";
import { type Command, type Io, teamDirOption } from "../command.ts";
import { exitCodeOf, exitCodes, unfinishedLines } from "../exit-code.ts";
import { wrongUsage } from "../parse-arguments.ts";
import { oneLine } from "../render/one-line.ts";
import { Progress } from "../render/progress.ts";
import {
  Invocation,
  parseFlags,
  Settings,
  teamOptions,
  teamSettings,
} from "../settings/settings.ts";

/** What the options mean. The defaults are those of the specification. */
const Flags = Settings.extend(Invocation.shape).extend({
  output: z.enum(["text", "json", "stream-json"]).default("text"),
  approvals: z.enum(["deny", "wait"]).default("deny"),
  "background-wait": z.coerce.number().nonnegative().max(1_000_000).default(60),
});
type Flags = z.infer<typeof Flags>;

export const run: Command = {
  name: "run",
  summary:
    "Let the team work on a prompt until it is quiet; what the lead says in the end is printed",
  parameters: ['"<prompt>"'],
  options: {
    output: {
      takes: "<format>",
      summary: "text (the lead's last text), json (a summary) or stream-json (events)",
    },
    ...teamOptions,
    approvals: { takes: "deny|wait", summary: "what becomes of calls that need asking (deny)" },
    "background-wait": {
      takes: "<s>",
      summary: "how long background commands are waited for (60)",
    },
    "team-dir": teamDirOption,
  },

  async run({ positionals: [prompt = ""], values, teamDir }, io) {
    if (prompt.trim() === "") throw wrongUsage("The prompt is empty", run);
    const flags = parseFlags(Flags, values, run);
    await using team = await io.openTeam({
      ...teamSettings(flags),
      teamDir,
      denies: flags.approvals === "deny",
    });
    return await work(team, { prompt, flags }, io);
  },
};

async function work(
  team: Team,
  { prompt, flags }: { prompt: string; flags: Flags },
  io: Io,
): Promise<number> {
  const told = new AbortController();
  const telling = tellEvents(team, flags.output, io, told.signal);
  await team.prompt(prompt);
  const stop = new AbortController();
  const isTimeUp = () => stop.signal.aborted && !io.signal.aborted;
  const cancel =
    flags.timeout === undefined ? () => {} : io.schedule(flags.timeout * 1000, () => stop.abort());
  const summary = await team.quiet({
    signal: AbortSignal.any([io.signal, stop.signal]),
    backgroundWaitMs: flags["background-wait"] * 1000,
  });
  cancel();
  told.abort();
  await telling;
  const code = isTimeUp() ? exitCodes.limit : exitCodeOf(summary);
  conclude(summary, { code, output: flags.output, isTimeUp: isTimeUp() }, io);
  return code;
}

async function tellEvents(
  team: Team,
  output: Flags["output"],
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const progress = new Progress();
  for await (const event of team.events(signal)) {
    if (output === "stream-json") io.out(JSON.stringify(event));
    for (const line of progress.lines(event)) io.err(line);
  }
}

function conclude(
  summary: TeamSummary,
  { code, output, isTimeUp }: { code: number; output: Flags["output"]; isTimeUp: boolean },
  io: Io,
): void {
  if (output === "json") io.out(JSON.stringify(reported(summary, code)));
  else if (output === "text" && summary.result !== "") io.out(summary.result);
  if (isTimeUp) io.err("The time is up.");
  if (code === exitCodes.done) return;
  for (const line of unfinishedLines(summary)) io.err(oneLine(line));
}

function reported({ end: _, undecided, ...summary }: TeamSummary, exit_code: number): object {
  const { result, ...rest } = summary;
  return {
    result,
    exit_code,
    ...rest,
    undecided: undecided.map(({ id, type, from }) => ({ id, type, from })),
  };
}
