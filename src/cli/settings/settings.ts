import { z } from "zod";
import { isPathWithin } from "../../lib/is-path-within.ts";
import { providerFamilies } from "../../model/built-in-providers.ts";
import { suitableModels } from "../../model/default-model.ts";
import type { OwnModels } from "../../model/model-facts.ts";
import { defaultFallbackAfterMs } from "../../model/models.ts";
import { CheckoutBase, Isolation } from "../../protocol/checkout.ts";
import { Effort } from "../../protocol/effort.ts";
import { describeProblem, readHooks } from "../../protocol/hook-configuration.ts";
import { LandingMode } from "../../protocol/landing.ts";
import { PermissionMode } from "../../protocol/message.ts";
import { SandboxMode } from "../../protocol/sandbox-mode.ts";
import { SandboxNetwork, sandboxNetworkWords } from "../../protocol/sandbox-network.ts";
import { defaults } from "../../team/team-options.ts";

const wholeNumber = z.number().int().positive();
const seconds = z.number().positive().max(1_000_000);
const rules = z.array(z.string().min(1));

const provider = z
  .strictObject({
    family: z
      .enum(providerFamilies)
      .optional()
      .describe("The API that it speaks; either this or a package"),
    package: z
      .string()
      .optional()
      .describe("The provider package of the AI SDK that you have installed for it"),
    "base-url": z
      .string()
      .optional()
      .describe("Where its API is (default: the family's own address; openai-compatible has none)"),
    "key-variable": z
      .string()
      .optional()
      .describe("The environment variable that holds its key; the key itself is in no file"),
    "header-variables": z
      .record(z.string(), z.string())
      .optional()
      .describe("Further headers of its requests, each with the variable that holds the value"),
  })
  .transform(({ "base-url": baseUrl, "key-variable": keyVariable, ...others }) => {
    const { family, package: name, "header-variables": headerVariables } = others;
    return {
      ...{ family, baseUrl, keyVariable },
      ...(name !== undefined && { package: name }),
      ...(headerVariables && { headerVariables }),
    };
  });

const dollars = z.number().nonnegative();
const rates = z.strictObject({
  input: dollars.describe("Dollars per million tokens of input"),
  output: dollars.describe("Dollars per million tokens of output"),
  "cache-read": dollars.optional().describe("Of input that comes from the cache (default: input)"),
  "cache-write": dollars
    .optional()
    .describe("Of input that is put into the cache (default: input)"),
  "cache-write-1h": dollars
    .optional()
    .describe("Of input that Anthropic keeps for an hour (default: twice the input)"),
});

function ratesOf({
  input,
  output,
  "cache-read": read,
  "cache-write": write,
  "cache-write-1h": writeForAnHour,
}: z.infer<typeof rates>) {
  return { input, output, cacheRead: read, cacheWrite: write, cacheWrite1h: writeForAnHour };
}

const price = rates
  .extend({
    long: rates
      .extend({ above: wholeNumber.describe("The number of tokens") })
      .optional()
      .describe("The prices of a request with more tokens than `above`"),
  })
  .transform(({ long, ...usual }) => ({
    ...ratesOf(usual),
    long: long && { ...ratesOf(long), above: long.above },
  }));

const ownModel = z
  .strictObject({
    price: price.optional().describe("What it costs"),
    "context-window": wholeNumber.optional().describe("How many tokens a request may have"),
    "max-output": wholeNumber.optional().describe("How many tokens a reply may have"),
  })
  .transform((stated): OwnModels[string] => {
    const { price, "context-window": contextWindow, "max-output": maxOutput } = stated;
    return { price, contextWindow, maxOutput };
  });

const hookSchema = {
  type: "object",
  additionalProperties: {
    type: "array",
    items: {
      type: "object",
      properties: {
        matcher: { type: "string" },
        hooks: {
          type: "array",
          items: {
            type: "object",
            properties: {
              type: { type: "string", enum: ["command"] },
              command: { type: "string" },
              timeout: { type: "number" },
              required: { type: "boolean" },
            },
            required: ["type", "command"],
          },
        },
      },
      required: ["hooks"],
    },
  },
} as const;

/** What Troupe does not have of them is left out, and named. */
const hooks = z
  .unknown()
  .transform((value, context) => {
    const stated = readHooks(value);
    if (!("problem" in stated)) return stated;
    context.addIssue({ code: "custom", message: describeProblem(stated) });
    return z.NEVER;
  })
  .meta(hookSchema);

/** A worktree is another word for a checkout. */
const isolation = z
  .enum([...Isolation.options, "worktree"])
  .transform((asked): Isolation => (asked === "worktree" ? "checkout" : asked));

/** The settings of a file. Each is named like its option. */
export const StatedSettings = z.strictObject({
  model: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Model of the lead, and of teammates without their own: <provider>/<model>, or several, separated by commas: each stands in when those before it are not available",
    ),
  agent: z.string().min(1).optional().describe("The role of the lead, by the name of its file"),
  "model-aliases": z
    .record(z.string().min(1), z.string().min(1))
    .optional()
    .describe("The ids of models for the names that role files have for them"),
  "fallback-after": seconds
    .optional()
    .describe("Seconds that a model may be overloaded before the next one in its list answers"),
  effort: Effort.optional().describe(
    "How much the lead thinks, and teammates without their own effort",
  ),
  "thinking-budget": z
    .number()
    .int()
    .min(1_024)
    .optional()
    .describe("Tokens that a reply may spend on thoughts, for models that take a number"),
  "permission-mode": PermissionMode.exclude(["bypassPermissions"])
    .optional()
    .describe("What runs without asking; bypassPermissions can only be given as a flag"),
  sandbox: SandboxMode.optional().describe(
    "Whether members' commands run in a sandbox: never, where there is one, or always",
  ),
  "sandbox.network": SandboxNetwork.optional().describe(
    "What commands in the sandbox reach: nothing, everything, or the hosts of a list",
  ),
  "sandbox.write": z
    .array(z.string().min(1))
    .optional()
    .describe("Directories that commands in the sandbox may change, besides the workspace"),
  "sandbox.deny-read": z
    .array(z.string().min(1))
    .optional()
    .describe("Files and directories that commands in the sandbox cannot read"),
  isolation: isolation
    .optional()
    .describe("Whether new teammates work in the lead's directory, or each in a checkout"),
  base: CheckoutBase.optional().describe(
    "What a checkout starts with: the last commit, or that and your uncommitted changes",
  ),
  "checkout.link": z
    .array(z.string().min(1).refine(isPathWithin))
    .optional()
    .describe("Paths in the repository that are links to your own in every checkout"),
  "checkout.setup": z
    .string()
    .min(1)
    .optional()
    .describe("A command that prepares a new checkout before its member works there"),
  "checkouts-dir": z
    .string()
    .min(1)
    .optional()
    .describe("The directory for checkouts, outside of the repository"),
  "checkouts-keep": z
    .number()
    .min(0)
    .max(36_500)
    .optional()
    .describe("Days after which the checkout of a member that has ended is removed"),
  target: z
    .string()
    .min(1)
    .optional()
    .describe("The branch that the work of members with checkouts lands on"),
  landing: LandingMode.optional().describe(
    "Whether the work of members with checkouts lands automatically, after asking you, or only when you say so",
  ),
  check: z
    .string()
    .min(1)
    .optional()
    .describe("The command that has to pass before the work of a member with a checkout lands"),
  "check-timeout": seconds.optional().describe("Seconds after which the check is ended"),
  allow: rules
    .optional()
    .describe("Calls that may run, such as bash(npm test:*) or edit_file(src/**)"),
  ask: rules.optional().describe("Calls to ask about, even if a rule allows them"),
  deny: rules.optional().describe("Calls that never run"),
  "max-turns": wholeNumber.optional().describe("Turns after which a member's run ends"),
  "max-cost": z.number().positive().optional().describe("Dollars after which the team stops"),
  "max-output": wholeNumber.optional().describe("Tokens that one reply of a model may have"),
  timeout: seconds.optional().describe("Seconds after which `troupe` and `troupe run` end"),
  approvals: z
    .enum(["deny", "wait"])
    .optional()
    .describe("How `troupe run` treats calls that need approval"),
  "background-wait": z
    .number()
    .nonnegative()
    .max(1_000_000)
    .optional()
    .describe("Seconds for which `troupe run` waits for background commands at the end"),
  "plan-approval": z.enum(["lead", "user"]).optional().describe("Who approves plans"),
  "shutdown-grace": seconds
    .optional()
    .describe("Seconds a teammate gets to answer a shutdown request"),
  "max-teammates": wholeNumber
    .max(1_000)
    .optional()
    .describe("How many teammates may be alive at once"),
  autoclaim: z
    .boolean()
    .optional()
    .describe("Whether idle teammates claim open tasks on their own"),
  notify: z
    .enum(["off", "bell", "terminal"])
    .optional()
    .describe("How the screen calls you when you are needed, or the team is done"),
  hooks: hooks
    .optional()
    .describe("Commands that run at events of the team, in the format of Claude Code and Codex"),
  providers: z
    .record(z.string(), provider)
    .optional()
    .describe("Model providers besides the built-in ones, by name: --model <name>/<model>"),
  models: z
    .record(z.string(), ownModel)
    .optional()
    .describe("Prices and limits of models, by id; an id may end in * for all that begin so"),
  mcpServers: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("MCP servers whose tools members have, by name, as in a .mcp.json"),
});

export type StatedSettings = Omit<z.infer<typeof StatedSettings>, "permission-mode"> & {
  "permission-mode"?: PermissionMode | undefined;
};

export const SettingName = StatedSettings.keyof();
export type SettingName = z.infer<typeof SettingName>;

type WithoutDefault =
  | "hooks"
  | "checkout.setup"
  | "checkouts-dir"
  | "target"
  | "landing"
  | "check"
  | "model"
  | "agent"
  | "effort"
  | "thinking-budget"
  | "max-cost"
  | "max-output"
  | "timeout";

/** All settings, with defaults filled in. */
export type Settings = Pick<StatedSettings, WithoutDefault> & {
  [Name in Exclude<SettingName, WithoutDefault>]-?: NonNullable<StatedSettings[Name]>;
};

export function withDefaults(stated: StatedSettings): Settings {
  return {
    ...stated,
    "model-aliases": stated["model-aliases"] ?? {},
    "fallback-after": stated["fallback-after"] ?? defaultFallbackAfterMs / 1000,
    "permission-mode": stated["permission-mode"] ?? defaults.mode,
    sandbox: stated.sandbox ?? "auto",
    "sandbox.network": stated["sandbox.network"] ?? "off",
    "sandbox.write": stated["sandbox.write"] ?? [],
    "sandbox.deny-read": stated["sandbox.deny-read"] ?? [],
    isolation: stated.isolation ?? "shared",
    base: stated.base ?? "head",
    "checkout.link": stated["checkout.link"] ?? [],
    "checkouts-keep": stated["checkouts-keep"] ?? defaults.checkoutsKeepDays,
    "check-timeout": stated["check-timeout"] ?? defaults.checkTimeoutMs / 1000,
    allow: stated.allow ?? [],
    ask: stated.ask ?? [],
    deny: stated.deny ?? [],
    "max-turns": stated["max-turns"] ?? defaults.maxTurns,
    approvals: stated.approvals ?? "deny",
    "background-wait": stated["background-wait"] ?? 60,
    "plan-approval": stated["plan-approval"] ?? defaults.planApproval,
    "shutdown-grace": stated["shutdown-grace"] ?? defaults.shutdownGraceMs / 1000,
    "max-teammates": stated["max-teammates"] ?? defaults.maxTeammates,
    autoclaim: stated.autoclaim ?? defaults.autoclaim,
    notify: stated.notify ?? "terminal",
    providers: stated.providers ?? {},
    models: stated.models ?? {},
    mcpServers: stated.mcpServers ?? {},
  };
}

/** The allowed values, to finish the sentence "must be …". */
const allowedValues: Readonly<Record<SettingName, string>> = {
  model: `a text such as ${suitableModels.anthropic}`,
  agent: "the name of a role",
  "model-aliases": "an object with the id of a model under each name",
  effort: `one of ${Effort.options.join(", ")}`,
  "thinking-budget": "a whole number of tokens from 1024",
  "fallback-after": "a number of seconds above 0, up to 1000000",
  "permission-mode": "plan, default or acceptEdits; bypassPermissions can only be a flag",
  sandbox: "off, auto or required",
  "sandbox.network": sandboxNetworkWords,
  "sandbox.write": "a list of directories",
  "sandbox.deny-read": "a list of files and directories",
  isolation: "shared or checkout",
  base: "head or working",
  "checkout.link": "a list of paths in the repository",
  "checkout.setup": "a text with a command",
  "checkouts-dir": "a text with a directory",
  "checkouts-keep": "a number of days from 0 to 36500",
  target: "the name of a branch",
  landing: "auto, ask or never",
  check: "a text with a command",
  "check-timeout": "a number of seconds above 0, up to 1000000",
  allow: "a list of permission rules",
  ask: "a list of permission rules",
  deny: "a list of permission rules",
  "max-turns": "a whole number from 1",
  "max-cost": "a number of dollars above 0",
  "max-output": "a whole number from 1",
  timeout: "a number of seconds above 0, up to 1000000",
  approvals: "deny or wait",
  "background-wait": "a number of seconds from 0 to 1000000",
  "plan-approval": "lead or user",
  "shutdown-grace": "a number of seconds above 0, up to 1000000",
  "max-teammates": "a whole number from 1 to 1000",
  autoclaim: "true or false",
  notify: "off, bell or terminal",
  hooks: "an object with a list of hooks under the name of each event",
  providers: "an object with the settings of a provider under each name",
  models: "an object with the facts of a model under each id",
  mcpServers: "an object with an MCP server under each name",
};

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(allowedValues, name);
}

/** The names of all settings. The schema knows them, too, but a start without settings does not make it. */
export const settingNames: readonly SettingName[] =
  Object.keys(allowedValues).filter(isSettingName);

/** Describes a wrong value: what it is, and what it must be. */
export function wrongValue(name: SettingName, found: unknown): string {
  return `is ${shownValue(found)}, but must be ${allowedValues[name]}`;
}

/** A value for an error message. The content of objects and lists may be long or secret. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const shown = String(JSON.stringify(value));
  return shown.length > shownLength ? `${shown.slice(0, shownLength)}…` : shown;
}

const shownLength = 80;
