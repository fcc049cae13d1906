import { z } from "zod";
import { PermissionMode } from "../../protocol/message.ts";
import type { TeamSummary } from "../../team/summary.ts";
import type { Team } from "../../team/team.ts";
import { type Command, type Io, type Option, teamDirOption } from "../command.ts";
import { exitCodeOf, exitCodes, unfinishedLines } from "../exit-code.ts";
import { wrongUsage } from "../parse-arguments.ts";
import { oneLine } from "../render/one-line.ts";
import { Progress } from "../render/progress.ts";

const ruleOption = (summary: string): Option => ({
  takes: "<rule>",
  isRepeatable: true,
  summary,
});

const seconds = z.coerce.number().positive().max(1_000_000);

/** What the options mean. The defaults are those of the specification. */
const Flags = z.object({
  output: z.enum(["text", "json", "stream-json"]).default("text"),
  model: z.string().optional(),
  cwd: z.string().optional(),
  "permission-mode": PermissionMode.default("default"),
  allow: z.array(z.string()).default([]),
  ask: z.array(z.string()).default([]),
  deny: z.array(z.string()).default([]),
  "max-turns": z.coerce.number().int().positive().default(200),
  "max-cost": z.coerce.number().positive().optional(),
  timeout: seconds.optional(),
  approvals: z.enum(["deny", "wait"]).default("deny"),
  "plan-approval": z.enum(["lead", "user"]).default("lead"),
  "shutdown-grace": seconds.default(30),
  "background-wait": z.coerce.number().nonnegative().max(1_000_000).default(60),
  fresh: z.boolean().default(false),
  record: z.string().optional(),
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
    model: {
      takes: "<provider>/<model>",
      summary: "which model, or replay:<file>; $TROUPE_MODEL unless said",
    },
    cwd: { takes: "<directory>", summary: "the workspace; this directory unless said" },
    "permission-mode": {
      takes: "<mode>",
      summary: `${PermissionMode.options.join(", ")}; default unless said`,
    },
    allow: ruleOption('let such calls run, as in "bash(npm test:*)" or "edit_file(src/**)"'),
    ask: ruleOption("ask about such calls, whatever else allows them"),
    deny: ruleOption("never let such calls run"),
    "max-turns": { takes: "<n>", summary: "end a run of a member after so many turns (200)" },
    "max-cost": { takes: "<dollars>", summary: "end when all of it has cost so much" },
    timeout: { takes: "<s>", summary: "end after so many seconds" },
    approvals: { takes: "deny|wait", summary: "what becomes of calls that need asking (deny)" },
    "plan-approval": { takes: "lead|user", summary: "who decides plans (lead)" },
    "shutdown-grace": { takes: "<s>", summary: "how long a teammate may take to shut down (30)" },
    "background-wait": {
      takes: "<s>",
      summary: "how long background commands are waited for (60)",
    },
    fresh: { summary: "set the team that is there aside, and begin a new one" },
    record: { takes: "<file>", summary: "keep what the models answer, for --model replay:<file>" },
    "team-dir": teamDirOption,
  },

  async run({ positionals: [prompt = ""], values, teamDir }, io) {
    if (prompt.trim() === "") throw wrongUsage("The prompt is empty", run);
    const flags = parseFlags(values);
    await using team = await io.openTeam({
      model: flags.model,
      cwd: flags.cwd,
      teamDir,
      mode: flags["permission-mode"],
      allow: flags.allow,
      ask: flags.ask,
      deny: flags.deny,
      maxTurns: flags["max-turns"],
      budget: { maxCostUsd: flags["max-cost"] },
      recordTo: flags.record,
      fresh: flags.fresh,
      planApproval: flags["plan-approval"],
      shutdownGraceMs: flags["shutdown-grace"] * 1000,
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

function parseFlags(values: Readonly<Record<string, unknown>>): Flags {
  const parsed = Flags.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrongUsage(`--${issue?.path.join(".")}: ${issue?.message}`, run);
}
