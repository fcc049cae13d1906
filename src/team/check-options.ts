import { isAbsolute } from "node:path";
import { z } from "zod";
import { TeamError } from "../errors.ts";
import { isPathWithin } from "../lib/is-path-within.ts";
import { isDirectory } from "../lib/is-there.ts";
import { nearest } from "../lib/nearest.ts";
import { parseValue } from "../lib/parse-value.ts";
import { suitableModels } from "../model/default-model.ts";
import { OwnModels } from "../model/model-facts.ts";
import { checkProvider } from "../model/provider-definitions.ts";
import { CheckoutBase, Isolation } from "../protocol/checkout.ts";
import { Effort } from "../protocol/effort.ts";
import { HookConfiguration } from "../protocol/hook-configuration.ts";
import { LandingMode } from "../protocol/landing.ts";
import { lateSchema } from "../protocol/late-schema.ts";
import { McpServers } from "../protocol/mcp-servers.ts";
import { PermissionMode } from "../protocol/message.ts";
import { SandboxMode } from "../protocol/sandbox-mode.ts";
import { SandboxNetwork } from "../protocol/sandbox-network.ts";
import { programRole } from "../roles/program-role.ts";
import { isInstructionsSize, maxInstructionsBytes } from "./members/member-definition.ts";
import type { TeamOptions } from "./team-options.ts";

const text = z.string().min(1);
const absolutePath = z.string().refine(isAbsolute);
const wholeNumber = z.int().positive();
const milliseconds = z.number().positive().finite();
const isFunction = z.custom((value) => typeof value === "function");
const isObject = z.custom((value) => typeof value === "object" && value !== null);
/** As far as a program can be wrong by mistake: the types say the rest. */
const place = z.object({
  ...{ directory: text, keyPlace: z.object({ home: text }) },
  ...{ clock: isObject, processes: isObject, onWarning: isFunction },
});
const store = z.object({
  ...{
    roster: isObject,
    tasks: isObject,
    requests: isObject,
    landings: isObject,
    checkouts: isObject,
    events: isObject,
    usage: isObject,
  },
  ...{ view: isFunction, send: isFunction, openMember: isFunction, forget: isFunction },
});
const tool = z.object({
  spec: z.object({ name: z.string(), description: z.string(), input_schema: isObject }),
  prepare: isFunction,
});

const ruleTexts = {
  schema: () =>
    z.array(z.union([z.string(), z.strictObject({ rule: z.string(), origin: z.string() })])),
  must: "be a list of permission rules",
};
const flag = { schema: () => z.boolean(), must: "be true or false" };
const callback = { schema: () => isFunction, must: "be a function" };
const whole = { schema: () => wholeNumber, must: "be a whole number, 1 or more" };
const spending = {
  schema: () =>
    z.strictObject({
      maxTokens: wholeNumber.optional(),
      maxCostUsd: z.number().positive().optional(),
    }),
  must: "have only maxTokens (a whole number) and maxCostUsd (dollars), each more than 0",
};

function forMembers(choice: z.ZodType): z.ZodType {
  return z.strictObject({ lead: choice.optional(), teammates: choice.optional() });
}

interface OptionRule {
  /** A program states few options, and only their schemas are made. */
  schema(): z.ZodType;
  /** The allowed values, to finish the sentence "The option … must …". */
  must: string;
}

const optionRules: Readonly<Record<keyof TeamOptions, OptionRule>> = {
  cwd: { schema: () => text, must: "be the path of the directory that the team works in" },
  place: { schema: () => place, must: "be a place, such as systemPlace makes one" },
  env: { schema: () => isObject, must: "be an object of environment variables" },
  onWarning: callback,
  model: { schema: () => text, must: `be a text such as ${suitableModels.anthropic}` },
  effort: { schema: () => Effort, must: `be one of ${Effort.options.join(", ")}` },
  defaultModel: { schema: () => text, must: `be a text such as ${suitableModels.anthropic}` },
  defaultEffort: { schema: () => Effort, must: `be one of ${Effort.options.join(", ")}` },
  thinkingBudget: {
    schema: () => z.int().min(1_024),
    must: "be a whole number of tokens, 1024 or more",
  },
  mode: { schema: () => PermissionMode, must: `be one of ${PermissionMode.options.join(", ")}` },
  ...{ allow: ruleTexts, ask: ruleTexts, deny: ruleTexts },
  instructions: {
    schema: () => forMembers(z.string().refine(isInstructionsSize)),
    must: `have only lead and teammates, each a text of at most ${maxInstructionsBytes} bytes`,
  },
  memberTools: {
    schema: () => forMembers(z.array(z.string())),
    must: "have only lead and teammates, each a list of names of tools",
  },
  guidance: {
    schema: () =>
      z.strictObject({
        instructions: absolutePath.optional(),
        ...{ skills: z.array(absolutePath).optional(), commands: z.array(absolutePath).optional() },
      }),
    must: "have only instructions (an absolute path), skills and commands (lists of absolute paths)",
  },
  mcp: {
    schema: () =>
      z.strictObject({ servers: McpServers, untrusted: z.array(z.string()).optional() }),
    must: 'be an object such as { servers: { files: { command: "mcp-server-filesystem", args: ["."] } } }',
  },
  roles: {
    schema: () => z.union([z.object({ find: isFunction }), lateSchema(() => z.array(programRole))]),
    must: "be a list of roles, each with name, description and prompt, or a source of them such as new RoleFiles({ workspace })",
  },
  modelAliases: {
    schema: () => z.record(text, text),
    must: "be an object with the id of a model under each name",
  },
  agent: { schema: () => text, must: "be the name of a role" },
  systemPrompt: callback,
  hooks: {
    schema: () =>
      z.strictObject({
        ...{ beforeCall: isFunction.optional(), afterCall: isFunction.optional() },
        ...{ beforeRequest: isFunction.optional(), onSpawn: isFunction.optional() },
        ...{ beforeAsk: isFunction.optional(), beforePrompt: isFunction.optional() },
        ...{ beforeEnd: isFunction.optional(), beforeCompaction: isFunction.optional() },
        ...{ beforeTask: isFunction.optional(), beforeLanding: isFunction.optional() },
        onCheckout: isFunction.optional(),
      }),
    must: "have only beforeCall, afterCall, beforeAsk, beforeRequest, beforePrompt, beforeEnd, beforeCompaction, beforeTask, beforeLanding, onCheckout and onSpawn, each a function",
  },
  commandHooks: {
    schema: () =>
      z.array(
        z.strictObject({
          origin: text,
          hooks: HookConfiguration,
          isRepository: z.boolean().optional(),
        }),
      ),
    must: "be a list of { origin, hooks }, with hooks as readHooks returns them",
  },
  ...{
    maxTurns: whole,
    maxOutputTokens: whole,
    maxTeammates: whole,
    autoclaim: flag,
    fresh: flag,
    takeOver: flag,
  },
  ...{ budget: spending, memberBudget: spending },
  shutdownGraceMs: { schema: () => milliseconds, must: "be a number of milliseconds, more than 0" },
  structuredResults: flag,
  planApproval: { schema: () => z.enum(["lead", "user"]), must: "be lead or user" },
  onRequest: callback,
  approvals: {
    schema: () =>
      z.union([
        z.enum(["deny", "wait"]),
        z.strictObject({ timeoutMs: milliseconds }),
        z.strictObject({ unattended: isFunction }),
      ]),
    must: "be deny, wait, { timeoutMs } or { unattended }",
  },
  providers: { schema: () => isObject, must: "be an object of providers by name" },
  models: {
    schema: () => OwnModels,
    must: 'be an object such as { "openai/gpt-5": { price: { input: 1.25, output: 10 }, contextWindow: 272_000 } }',
  },
  provider: {
    schema: () =>
      z.strictObject({
        watchdogs: z
          .strictObject({ headersMs: milliseconds.optional(), stallMs: milliseconds.optional() })
          .optional(),
        ...{ maxInFlight: wholeNumber.optional(), maxAttempts: wholeNumber.optional() },
        fallbackAfterMs: milliseconds.optional(),
      }),
    must: "have only watchdogs (headersMs and stallMs), maxInFlight, maxAttempts and fallbackAfterMs, each more than 0",
  },
  sandbox: {
    schema: () =>
      z.strictObject({
        mode: SandboxMode.optional(),
        network: SandboxNetwork.optional(),
        write: z.array(absolutePath).optional(),
        denyRead: z.array(absolutePath).optional(),
      }),
    must: "have only mode (off, auto or required), network (off, open, or a list of hosts), write and denyRead (lists of absolute paths)",
  },
  landing: {
    schema: () =>
      z.strictObject({
        ...{ mode: LandingMode.optional(), check: text.optional() },
        checkTimeoutMs: milliseconds.optional(),
      }),
    must: "have only mode (auto, ask or never), check (a command) and checkTimeoutMs (more than 0)",
  },
  checkouts: {
    schema: () =>
      z.strictObject({
        isolation: Isolation.optional(),
        base: CheckoutBase.optional(),
        link: z.array(z.string().min(1).refine(isPathWithin)).optional(),
        setup: text.optional(),
        directory: absolutePath.optional(),
        target: text.optional(),
        keepDays: z.number().min(0).max(36_500).optional(),
      }),
    must: "have only isolation (shared or checkout), base (head or working), link (a list of paths in the repository), setup (a command), directory (an absolute path), target (the name of a branch) and keepDays (0 to 36500)",
  },
  recordTo: { schema: () => text, must: "be the path of a new file" },
  store: { schema: () => store, must: "be a TeamStore" },
  openModel: callback,
  tools: { schema: () => z.array(tool), must: "be a list of tools, such as defineTool makes them" },
};

/** The names of all options of `Team.open`. */
export const optionNames = Object.keys(optionRules);

/** Throws `config-invalid` where an option is unknown or wrong. Nothing has been made then. */
export async function checkOptions(options: TeamOptions): Promise<void> {
  requireOptions(options);
  const rules = new Map<string, OptionRule>(Object.entries(optionRules));
  for (const [name, value] of Object.entries(options)) {
    const rule = rules.get(name);
    if (!rule) throw unknownOption(name);
    if (value !== undefined && !parseValue(rule.schema(), value).success) throw wrong(name, rule);
  }
  for (const [name, provider] of Object.entries(options.providers ?? {})) {
    checkProvider(name, provider);
  }
  if (await isDirectory(options.cwd)) return;
  throw new TeamError("config-invalid", `${options.cwd} is not a directory`, {
    hint: "Create it first, or give as cwd the directory that the team should work in.",
  });
}

/** A program in JavaScript may leave out what has no default. */
function requireOptions(options: unknown): asserts options is TeamOptions {
  const given = z.looseObject({ cwd: z.unknown() }).safeParse(options).data;
  if (given?.cwd !== undefined) return;
  throw new TeamError("config-invalid", "Team.open needs the option cwd", {
    hint: "Name the directory that the team works in: Team.open({ cwd: import.meta.dirname }).",
  });
}

function wrong(name: string, { must }: OptionRule): TeamError {
  const remedy = name === "cwd" ? "Correct it." : "Correct it, or leave it out for the default.";
  return new TeamError("config-invalid", `The option ${name} must ${must}`, { hint: remedy });
}

function unknownOption(name: string): TeamError {
  const known = nearest(name, optionNames);
  return new TeamError("config-invalid", `Team.open has no option ${JSON.stringify(name)}`, {
    hint: known ? `Did you mean ${known}?` : `The options are ${optionNames.join(", ")}.`,
  });
}
