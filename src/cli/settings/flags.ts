import { z } from "zod";
import { parseValue } from "../../lib/parse-value.ts";
import { CheckoutBase, Isolation } from "../../protocol/checkout.ts";
import { Effort } from "../../protocol/effort.ts";
import { LandingMode } from "../../protocol/landing.ts";
import { PermissionMode } from "../../protocol/message.ts";
import { SandboxMode } from "../../protocol/sandbox-mode.ts";
import { hostPresets } from "../../protocol/sandbox-network.ts";
import type { Command, Option } from "../command.ts";
import { wrongUsage } from "../parse-arguments.ts";
import { SettingName, StatedSettings, settingNames, wrongValue } from "./settings.ts";

/** Options that a settings file cannot have. */
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

/** A list of hosts comes as text. */
const asNetwork = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(
    (text) => (typeof text === "string" && !/^(off|open)$/.test(text) ? text.split(",") : text),
    schema,
  );

/** All options of a run: those of a settings file, and those of one start. */
const Flags = flagsOf(StatedSettings.shape);

function flagsOf(shape: typeof StatedSettings.shape) {
  return Invocation.extend({
    ...shape,
    "permission-mode": PermissionMode.optional(),
    "thinking-budget": asNumber(shape["thinking-budget"]),
    "checkouts-keep": asNumber(shape["checkouts-keep"]),
    "max-turns": asNumber(shape["max-turns"]),
    "max-cost": asNumber(shape["max-cost"]),
    "max-output": asNumber(shape["max-output"]),
    timeout: asNumber(shape.timeout),
    "check-timeout": asNumber(shape["check-timeout"]),
    "sandbox.network": asNetwork(shape["sandbox.network"]),
    "fallback-after": asNumber(shape["fallback-after"]),
    "background-wait": asNumber(shape["background-wait"]),
    "shutdown-grace": asNumber(shape["shutdown-grace"]),
  });
}
export type Flags = StatedSettings & Invocation;

const ruleOption = (summary: string): Option => ({
  takes: "<rule>",
  isRepeatable: true,
  summary: `${summary}; may be repeated`,
});

const envFileOption: Option = {
  takes: "<file>",
  summary: "read environment variables, such as API keys, from a file; variables already set win",
};

/** The options that decide which configuration and keys are used. */
export const placeOptions: Readonly<Record<string, Option>> = {
  cwd: { takes: "<directory>", summary: "the workspace (default: the current directory)" },
  "env-file": envFileOption,
};

/** The options of every command that runs a team. */
export const teamOptions: Readonly<Record<string, Option>> = {
  model: {
    takes: "<provider>/<model>",
    summary:
      "the lead's model, or replay:<file> (default: $TROUPE_MODEL); more models, separated by commas, stand in when it is not available",
  },
  "fallback-after": {
    takes: "<s>",
    summary: "seconds that a model may be overloaded before the next one answers (default: 60)",
  },
  agent: {
    takes: "<role>",
    summary: "the lead's role, by its name; `troupe agents` lists what is found",
  },
  ...placeOptions,
  effort: {
    takes: "<effort>",
    choices: Effort.options,
    summary: `how much the models think: ${Effort.options.join(", ")} (default: as much as they choose)`,
  },
  "thinking-budget": {
    takes: "<tokens>",
    summary: "how many tokens of a reply may be thoughts, for models that take a number",
  },
  "permission-mode": {
    takes: "<mode>",
    choices: PermissionMode.options,
    summary: `${PermissionMode.options.join(", ")} (default: default)`,
  },
  sandbox: {
    takes: "<mode>",
    choices: SandboxMode.options,
    summary:
      "run members' commands in a sandbox: off, auto (where one works), required (default: auto)",
  },
  "sandbox.network": {
    takes: "off|open|<hosts>",
    summary: `what commands in the sandbox reach: off, open, or hosts with commas between, such as npm,*.example.com; ${Object.keys(hostPresets).join(", ")} stand for their hosts (default: off)`,
  },
  isolation: {
    takes: "<where>",
    choices: Isolation.options,
    summary:
      "where new teammates work: shared (the lead's directory) or checkout (each in a repository of its own) (default: shared)",
  },
  base: {
    takes: "<base>",
    choices: CheckoutBase.options,
    summary:
      "what checkouts begin with: head (the last commit), working (and what you have not committed) (default: head)",
  },
  "checkout.link": {
    takes: "<path>",
    isRepeatable: true,
    summary:
      "a path in the repository that is a link to yours in every checkout, such as node_modules; may be repeated",
  },
  "checkout.setup": {
    takes: "<command>",
    summary: 'a command that prepares a new checkout, such as "npm ci"',
  },
  "checkouts-dir": {
    takes: "<directory>",
    summary: "where checkouts are (default: checkouts in troupe's state directory)",
  },
  "checkouts-keep": {
    takes: "<days>",
    summary: "when the checkout of a member that has ended is removed (default: 7)",
  },
  target: {
    takes: "<branch>",
    summary:
      "the branch that work from checkouts lands on; it must not be checked out (default: troupe/default)",
  },
  landing: {
    takes: "<mode>",
    choices: LandingMode.options,
    summary:
      "whether the work of members with checkouts lands: auto, ask, never (default: ask on a screen; otherwise auto with --check, never without)",
  },
  check: {
    takes: "<command>",
    summary: "the command that has to pass before the work of a member with a checkout lands",
  },
  "check-timeout": {
    takes: "<s>",
    summary: "seconds after which the check is ended (default: 600)",
  },
  allow: ruleOption('allow matching calls, such as "bash(npm test:*)" or "edit_file(src/**)"'),
  ask: ruleOption("ask before matching calls, even if a rule allows them"),
  deny: ruleOption("never run matching calls"),
  "max-turns": {
    takes: "<n>",
    summary: "stop a member's run after this many turns (default: 200)",
  },
  "max-cost": { takes: "<dollars>", summary: "stop when the whole team has cost this much" },
  "max-output": {
    takes: "<tokens>",
    summary: "how long a reply may be (default: 32000, or what the model allows)",
  },
  timeout: { takes: "<s>", summary: "stop after this many seconds" },
  "plan-approval": { takes: "lead|user", summary: "who approves plans (default: lead)" },
  "shutdown-grace": { takes: "<s>", summary: "seconds a teammate gets to shut down (default: 30)" },
  fresh: { summary: "archive the existing team and start a new one" },
  "take-over": {
    summary: "make a team from elsewhere yours: keep its history, run none of its calls",
  },
  web: { summary: "also serve the dashboard; `troupe web` prints its address" },
  record: { takes: "<file>", summary: "record the models' replies for --model replay:<file>" },
};

/** Parses the options of a command that runs a team. */
export function parseFlags(values: Readonly<Record<string, unknown>>, command: Command): Flags {
  // Where no setting is given, its schemas need not be made: they are the most of all in a start.
  const hasSetting = settingNames.some((name) => values[name] !== undefined);
  const parsed = parseValue(hasSetting ? Flags : Invocation, values);
  if (parsed.success) return parsed.data;
  const [name] = parsed.error.issues[0]?.path ?? [];
  const setting = SettingName.safeParse(name);
  // All others are strings and switches, which the argument parser checks.
  if (!setting.success) throw parsed.error;
  throw wrongUsage(wrongFlag(setting.data, values[setting.data]), command);
}

function wrongFlag(name: SettingName, found: unknown): string {
  if (name !== "permission-mode") return `--${name} ${wrongValue(name, found)}`;
  return `--${name} is ${JSON.stringify(found)}, but must be one of ${PermissionMode.options.join(", ")}`;
}
