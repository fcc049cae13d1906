import { z } from "zod";
import type { RunEnd } from "../../agent/run-agent.ts";
import { PermissionMode } from "../../protocol/message.ts";
import { type Command, type Option, teamDirOption } from "../command.ts";
import { wrongUsage } from "../parse-arguments.ts";
import { oneLine } from "../render/one-line.ts";
import { Progress } from "../render/progress.ts";

const ruleOption = (summary: string): Option => ({
  takes: "<rule>",
  isRepeatable: true,
  summary,
});

/** What the options mean. The defaults are those of the specification. */
const Flags = z.object({
  model: z.string().optional(),
  cwd: z.string().optional(),
  "permission-mode": PermissionMode.default("default"),
  allow: z.array(z.string()).default([]),
  ask: z.array(z.string()).default([]),
  deny: z.array(z.string()).default([]),
  "max-turns": z.coerce.number().int().positive().default(200),
  "max-cost": z.coerce.number().positive().optional(),
  record: z.string().optional(),
});

export const run: Command = {
  name: "run",
  summary: "Let the lead work on a prompt; what it says in the end is printed",
  parameters: ['"<prompt>"'],
  options: {
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
    "max-turns": { takes: "<n>", summary: "end the run after so many turns (200)" },
    "max-cost": { takes: "<dollars>", summary: "end the run when it has cost so much" },
    record: { takes: "<file>", summary: "keep what the model answers, for --model replay:<file>" },
    "team-dir": teamDirOption,
  },

  async run({ positionals: [prompt = ""], values, teamDir }, io) {
    if (prompt.trim() === "") throw wrongUsage("The prompt is empty", run);
    const flags = parseFlags(values);
    await using lead = await io.openLead({
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
    });
    const progress = new Progress();
    const events = lead.prompt(prompt, io.signal);
    for (let next = await events.next(); ; next = await events.next()) {
      if (next.done) return conclude(next.value, io);
      for (const line of progress.lines(next.value)) io.err(line);
    }
  },
};

function parseFlags(values: Readonly<Record<string, unknown>>): z.infer<typeof Flags> {
  const parsed = Flags.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrongUsage(`--${issue?.path.join(".")}: ${issue?.message}`, run);
}

const exitCodes = { done: 0, failed: 3, "turn-limit": 4, budget: 4, interrupted: 130 } as const;
const exitUnanswered = 1;

function conclude(end: RunEnd | undefined, io: Parameters<Command["run"]>[1]): number {
  const last = end?.answers.at(-1);
  if (last !== undefined) io.out(last);
  // Whoever stopped the process knows the code of the signal.
  if (!end) return exitCodes.interrupted;
  if (end.reason) io.err(oneLine(`${end.outcome}: ${end.reason}`));
  if (end.hint) io.err(oneLine(end.hint));
  return end.isUnanswered ? exitUnanswered : exitCodes[end.outcome];
}
