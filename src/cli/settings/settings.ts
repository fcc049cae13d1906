import { z } from "zod";
import { PermissionMode } from "../../protocol/message.ts";
import type { Command, Io, Option } from "../command.ts";
import { wrongUsage } from "../parse-arguments.ts";

const seconds = z.coerce.number().positive().max(1_000_000);
const rules = z.array(z.string()).default([]);

/** What a person may say about how a team works. Each is called as its flag is. */
export const Settings = z.object({
  model: z.string().optional(),
  "permission-mode": PermissionMode.default("default"),
  allow: rules,
  ask: rules,
  deny: rules,
  "max-turns": z.coerce.number().int().positive().default(200),
  "max-cost": z.coerce.number().positive().optional(),
  timeout: seconds.optional(),
  "plan-approval": z.enum(["lead", "user"]).default("lead"),
  "shutdown-grace": seconds.default(30),
});
export type Settings = z.infer<typeof Settings>;

/** What only one command line says, and no file. */
export const Invocation = z.object({
  cwd: z.string().optional(),
  fresh: z.boolean().default(false),
  record: z.string().optional(),
});
export type Invocation = z.infer<typeof Invocation>;

const ruleOption = (summary: string): Option => ({
  takes: "<rule>",
  isRepeatable: true,
  summary,
});

/** The flags of every command that runs a team. */
export const teamOptions: Readonly<Record<string, Option>> = {
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
  "plan-approval": { takes: "lead|user", summary: "who decides plans (lead)" },
  "shutdown-grace": { takes: "<s>", summary: "how long a teammate may take to shut down (30)" },
  fresh: { summary: "set the team that is there aside, and begin a new one" },
  record: { takes: "<file>", summary: "keep what the models answer, for --model replay:<file>" },
};

/** Reads what the options say. What they do not say has its default. */
export function parseFlags<Flags extends z.ZodType>(
  schema: Flags,
  values: Readonly<Record<string, unknown>>,
  command: Command,
): z.infer<Flags> {
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrongUsage(`--${issue?.path.join(".")}: ${issue?.message}`, command);
}

/** How `io.openTeam` is told what the settings say. */
export function teamSettings(
  settings: Settings & Invocation,
): Omit<Parameters<Io["openTeam"]>[0], "denies" | "teamDir"> {
  return {
    model: settings.model,
    cwd: settings.cwd,
    mode: settings["permission-mode"],
    allow: settings.allow,
    ask: settings.ask,
    deny: settings.deny,
    maxTurns: settings["max-turns"],
    budget: { maxCostUsd: settings["max-cost"] },
    recordTo: settings.record,
    fresh: settings.fresh,
    planApproval: settings["plan-approval"],
    shutdownGraceMs: settings["shutdown-grace"] * 1000,
  };
}
