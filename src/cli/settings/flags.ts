import { z } from "zod";
import { PermissionMode } from "../../protocol/message.ts";
import type { Command, Option } from "../command.ts";
import { wrongUsage } from "../parse-arguments.ts";
import { SettingName, StatedSettings, wrongValue } from "./settings.ts";

/** What only one command line says, and no file. */
const Invocation = z.object({
  cwd: z.string().optional(),
  fresh: z.boolean().default(false),
  "take-over": z.boolean().default(false),
  web: z.boolean().default(false),
  record: z.string().optional(),
  "env-file": z.string().optional(),
});
export type Invocation = z.infer<typeof Invocation>;

/** A number comes as text. */
const asNumber = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(
    (text) => (typeof text === "string" && text.trim() !== "" ? Number(text) : text),
    schema,
  );

const { shape } = StatedSettings;

/** What flags may say: what a file may, and what belongs to one start. */
const Flags = Invocation.extend({
  ...shape,
  "permission-mode": PermissionMode.optional(),
  "max-turns": asNumber(shape["max-turns"]),
  "max-cost": asNumber(shape["max-cost"]),
  timeout: asNumber(shape.timeout),
  "background-wait": asNumber(shape["background-wait"]),
  "shutdown-grace": asNumber(shape["shutdown-grace"]),
});
export type Flags = StatedSettings & Invocation;

const ruleOption = (summary: string): Option => ({
  takes: "<rule>",
  isRepeatable: true,
  summary,
});

const envFileOption: Option = {
  takes: "<file>",
  summary: "variables that count as the environment, such as keys; what is set already wins",
};

/** What decides which configuration and which keys hold. */
export const placeOptions: Readonly<Record<string, Option>> = {
  cwd: { takes: "<directory>", summary: "the workspace; this directory unless said" },
  "env-file": envFileOption,
};

/** The flags of every command that runs a team. */
export const teamOptions: Readonly<Record<string, Option>> = {
  model: {
    takes: "<provider>/<model>",
    summary: "which model, or replay:<file>; $TROUPE_MODEL unless said",
  },
  ...placeOptions,
  "permission-mode": {
    takes: "<mode>",
    choices: PermissionMode.options,
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
  "take-over": {
    summary: "make a team yours that came from elsewhere, with its history but no call",
  },
  web: { summary: "serve the dashboard beside it; `troupe web` prints its address" },
  record: { takes: "<file>", summary: "keep what the models answer, for --model replay:<file>" },
};

/** Reads the flags of a command that runs a team. */
export function parseFlags(values: Readonly<Record<string, unknown>>, command: Command): Flags {
  const parsed = Flags.safeParse(values);
  if (parsed.success) return parsed.data;
  const [name] = parsed.error.issues[0]?.path ?? [];
  const setting = SettingName.safeParse(name);
  // The others are texts and switches, which the parser of arguments sees to.
  if (!setting.success) throw parsed.error;
  throw wrongUsage(wrongFlag(setting.data, values[setting.data]), command);
}

function wrongFlag(name: SettingName, found: unknown): string {
  if (name !== "permission-mode") return `--${name} ${wrongValue(name, found)}`;
  return `--${name} is ${JSON.stringify(found)}, and must be one of ${PermissionMode.options.join(", ")}`;
}
