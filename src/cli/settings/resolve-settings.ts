import { resolve } from "node:path";
import { TeamError } from "../../errors.ts";
import type { HookSource } from "../../hooks/command-hooks.ts";
import { isDirectory } from "../../lib/is-there.ts";
import { chosenByKey, defaultModelId, modelByKey } from "../../model/default-model.ts";
import type { EnvironmentVariables } from "../../model/provider-settings.ts";
import type { RuleOption } from "../../team/team-options.ts";
import type { Command, Io } from "../command.ts";
import { type Configuration, readConfiguration, workspaceSettings } from "./configuration.ts";
import { environmentWith } from "./env-file.ts";
import { type Flags, type Invocation, parseFlags } from "./flags.ts";
import type { Loosening } from "./loosening.ts";
import { type McpSettings, mcpSettings } from "./mcp-file.ts";
import {
  type SettingName,
  type Settings,
  type StatedSettings,
  settingNames,
  withDefaults,
} from "./settings.ts";
import type { SettingsFile } from "./settings-file.ts";

/** The settings of a run, from all sources. */
export type ResolvedSettings = Settings &
  Invocation & {
    /** The environment, with the variables of `--env-file`. */
    env: EnvironmentVariables;
    /** The settings of `troupe.json` that are ignored without the person's consent. */
    pending: PendingConsent | undefined;
    /** The MCP servers, and what the person should know of them. */
    mcp: McpSettings;
    /** The source of each setting that is not a default. */
    origins: ReadonlyMap<SettingName, string>;
    /** The source of each rule, by its decision and its text. */
    ruleOrigins: ReadonlyMap<string, string>;
    /** The hooks that are in force, of each file. */
    hookSources: readonly HookSource[];
    /** What is not in force of the hooks in files that count, for the person. */
    hookNotes: readonly string[];
  };

/** A question of consent. `recordAnswer` stores the answer. */
export interface PendingConsent {
  readonly file: SettingsFile;
  /** The settings that would apply with consent. */
  readonly loosenings: readonly Loosening[];
  /** True if the person has declined exactly this content. */
  readonly wasDeclined: boolean;
}

/** Merges options, environment, files and defaults, in this order of precedence. */
export async function resolveSettings(
  command: Command,
  values: Readonly<Record<string, unknown>>,
  { processInfo }: Pick<Io, "processInfo">,
): Promise<ResolvedSettings> {
  const flags = parseFlags(values, command);
  const env = await environmentWith(flags["env-file"], processInfo);
  const workspace = resolve(processInfo.cwd, flags.cwd ?? ".");
  if (flags.cwd !== undefined) await checkWorkspace(workspace);
  const configuration = await readConfiguration(workspace, processInfo);
  const layers = layersOf(flags, env, configuration);
  return {
    ...flags,
    ...withDefaults(merge(layers)),
    env,
    pending: pendingConsent(configuration, flags, env),
    mcp: await mcpSettings(
      configuration,
      configuration.userFile?.stated.mcpServers,
      workspaceSettings(configuration).mcpServers,
      { workspace, processInfo },
    ),
    origins: originsOf(layers),
    ruleOrigins: ruleOriginsOf(layers),
    ...hooksOf(layers, configuration),
  };
}

/** A misspelled directory must not be created and used. */
async function checkWorkspace(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  throw new TeamError("usage-wrong", `--cwd ${path} is not a directory`, {
    hint: "Create it first, or give the directory that the team should work in.",
  });
}

/** One source of settings. */
export interface SettingsLayer {
  readonly origin: (name: SettingName) => string;
  readonly stated: StatedSettings;
}

function layersOf(
  flags: Flags,
  env: EnvironmentVariables,
  configuration: Configuration,
): SettingsLayer[] {
  const {
    cwd: _cwd,
    fresh: _fresh,
    "take-over": _takeOver,
    web: _web,
    record: _record,
    "env-file": _envFile,
    ...stated
  } = flags;
  return [{ origin: (name) => `--${name}`, stated }, ...layersBelowFlags(env, configuration)];
}

/** The sources below the options, highest precedence first. */
export function layersBelowFlags(
  env: EnvironmentVariables,
  configuration: Configuration,
): SettingsLayer[] {
  const { userFile, workspaceFile } = configuration;
  const model = defaultModelId(env);
  const byKey = modelByKey(env);
  const variable = env.TROUPE_MODEL ? "TROUPE_MODEL" : "MODEL_ID";
  return [
    { origin: () => variable, stated: model ? { model } : {} },
    { origin: () => workspaceFile?.path ?? "", stated: workspaceSettings(configuration) },
    { origin: () => userFile?.path ?? "", stated: userFile?.stated ?? {} },
    { origin: () => byKey?.variable ?? "", stated: byKey ? { model: byKey.id } : {} },
  ];
}

/** The highest source wins; rules, providers and models add up. */
function merge(layers: readonly SettingsLayer[]): StatedSettings {
  let merged: StatedSettings = {};
  for (const { stated } of layers.toReversed()) merged = { ...merged, ...stated };
  const all = (name: RuleSetting) => layers.flatMap(({ stated }) => stated[name] ?? []);
  const united = (name: "providers" | "models" | "model-aliases") =>
    Object.assign({}, ...layers.toReversed().map(({ stated }) => stated[name]));
  const lists = { allow: all("allow"), ask: all("ask"), deny: all("deny") };
  const aliases = united("model-aliases");
  return {
    ...{ ...merged, ...lists, providers: united("providers"), models: united("models") },
    ...(Object.keys(aliases).length > 0 && { "model-aliases": aliases }),
  };
}

function originsOf(layers: readonly SettingsLayer[]): Map<SettingName, string> {
  const origins = new Map<SettingName, string>();
  for (const name of settingNames) {
    const layer = layers.find(({ stated }) => stated[name] !== undefined);
    if (layer) origins.set(name, layer.origin(name));
  }
  return origins;
}

/** Hooks of several files add up. */
function hooksOf(
  layers: readonly SettingsLayer[],
  { workspaceFile }: Configuration,
): Pick<ResolvedSettings, "hookSources" | "hookNotes"> {
  const stated = layers.flatMap(({ stated: { hooks }, origin }) =>
    hooks ? [{ ...hooks, origin: origin("hooks") }] : [],
  );
  return {
    hookSources: stated.map(({ origin, hooks }) => ({
      ...{ origin, hooks, isRepository: origin === workspaceFile?.path },
    })),
    hookNotes: stated.flatMap(({ origin, ignored }) => {
      if (ignored.length === 0) return [];
      const parts = ignored.length === 1 ? "1 part" : `${ignored.length} parts`;
      const [first] = ignored;
      return `${parts} of the hooks in ${origin} ${ignored.length === 1 ? "is" : "are"} not in force, such as ${first?.path}, which ${first?.reason}; \`troupe hooks\` lists all`;
    }),
  };
}

type RuleSetting = "allow" | "ask" | "deny";

function ruleOriginsOf(layers: readonly SettingsLayer[]): Map<string, string> {
  const origins = new Map<string, string>();
  for (const name of ["allow", "ask", "deny"] as const) {
    // A rule that several sources state is of the highest.
    for (const { stated, origin } of layers.toReversed()) {
      for (const rule of stated[name] ?? []) origins.set(`${name} ${rule}`, origin(name));
    }
  }
  return origins;
}

function withOrigins(name: RuleSetting, settings: ResolvedSettings): RuleOption[] {
  return settings[name].map((rule) => {
    const origin = settings.ruleOrigins.get(`${name} ${rule}`);
    return origin === undefined ? rule : { rule, origin };
  });
}

function pendingConsent(
  { workspaceFile, loosenings, answer }: Configuration,
  flags: Flags,
  env: EnvironmentVariables,
): PendingConsent | undefined {
  if (!workspaceFile || answer === "trusted") return undefined;
  const isSaidAbove = (name: SettingName) =>
    flags[name] !== undefined || (name === "model" && defaultModelId(env) !== undefined);
  const matters = loosenings.some(({ name }) => name === "allow" || !isSaidAbove(name));
  if (!matters) return undefined;
  return { file: workspaceFile, loosenings, wasDeclined: answer === "declined" };
}

/** The note about a model that the person has not named; undefined if they have, now or while the team ran. */
export function modelLine(
  { env, origins }: Pick<ResolvedSettings, "env" | "origins">,
  leadsModel: string | undefined,
): string | undefined {
  const byKey = modelByKey(env);
  const isByKey = byKey && origins.get("model") === byKey.variable && byKey.id === leadsModel;
  return isByKey ? chosenByKey(byKey) : undefined;
}

/** The settings as `io.openTeam` takes them. */
export function teamSettings(
  settings: ResolvedSettings,
): Omit<Parameters<Io["openTeam"]>[0], "denies" | "teamDir"> {
  const isFlag = (name: SettingName) => settings.origins.get(name) === `--${name}`;
  const { cwd = ".", env } = settings;
  // `~` in a file has met no shell.
  const absolute = (path: string) => resolve(cwd, path.replace(/^~(?=\/|$)/, env.HOME ?? "~"));
  return {
    // Without a flag, both are as the person has last set them while the team ran.
    model: isFlag("model") ? settings.model : undefined,
    defaultModel: settings.model,
    agent: settings.agent,
    modelAliases: settings["model-aliases"],
    effort: isFlag("effort") ? settings.effort : undefined,
    defaultEffort: settings.effort,
    thinkingBudget: settings["thinking-budget"],
    provider: { fallbackAfterMs: settings["fallback-after"] * 1000 },
    cwd: settings.cwd,
    env: settings.env,
    providers: settings.providers,
    models: settings.models,
    mcp: { servers: settings.mcp.servers, untrusted: settings.mcp.untrusted },
    maxOutputTokens: settings["max-output"],
    // Without one, the mode is the one that the person has last set.
    mode: settings.origins.has("permission-mode") ? settings["permission-mode"] : undefined,
    sandbox: {
      mode: settings.sandbox,
      network: settings["sandbox.network"],
      write: settings["sandbox.write"].map(absolute),
      denyRead: settings["sandbox.deny-read"].map(absolute),
    },
    checkouts: {
      isolation: settings.isolation,
      base: settings.base,
      link: settings["checkout.link"],
      setup: settings["checkout.setup"],
      directory: settings["checkouts-dir"] && absolute(settings["checkouts-dir"]),
      target: settings.target,
      keepDays: settings["checkouts-keep"],
    },
    landing: {
      mode: settings.landing,
      check: settings.check,
      checkTimeoutMs: settings["check-timeout"] * 1000,
    },
    commandHooks: settings.hookSources,
    allow: withOrigins("allow", settings),
    ask: withOrigins("ask", settings),
    deny: withOrigins("deny", settings),
    maxTurns: settings["max-turns"],
    maxTeammates: settings["max-teammates"],
    autoclaim: settings.autoclaim,
    budget: { maxCostUsd: settings["max-cost"] },
    recordTo: settings.record,
    fresh: settings.fresh,
    takeOver: settings["take-over"],
    planApproval: settings["plan-approval"],
    shutdownGraceMs: settings["shutdown-grace"] * 1000,
  };
}
