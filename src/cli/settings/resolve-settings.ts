import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { TeamError } from "../../errors.ts";
import { defaultModelId, type Environment } from "../../model/provider-settings.ts";
import type { Command, Io } from "../command.ts";
import { type Configuration, readConfiguration, workspaceSettings } from "./configuration.ts";
import { environmentWith } from "./env-file.ts";
import { type Flags, type Invocation, parseFlags } from "./flags.ts";
import type { Loosening } from "./loosening.ts";
import { SettingName, type Settings, type StatedSettings, withDefaults } from "./settings.ts";
import type { SettingsFile } from "./settings-file.ts";

/** Everything a command that runs a team was told, from wherever. */
export type ResolvedSettings = Settings &
  Invocation & {
    /** What the process was started with, and beneath it the file of `--env-file`. */
    env: Environment;
    /** What `troupe.json` says in vain, because the person has not consented to it. */
    pending: PendingConsent | undefined;
    /** Who said each setting that is not a default; the highest who did. */
    origins: ReadonlyMap<SettingName, string>;
  };

/** What a person can be asked: `recordAnswer` of its file keeps the answer. */
export interface PendingConsent {
  readonly file: SettingsFile;
  /** What consent would put in force. */
  readonly loosenings: readonly Loosening[];
  /** True when the person has said no to exactly this. */
  readonly wasDeclined: boolean;
}

/** Puts flags, environment, files and defaults together, the first that says something first. */
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
    origins: originsOf(layers),
  };
}

/** A directory that was misspelled must not be made, and worked in. */
async function checkWorkspace(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  throw new TeamError("usage-wrong", `--cwd ${path} is not a directory`, {
    hint: "Create it first, or give the directory that the team should work in.",
  });
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (error instanceof Error && "errno" in error) return false;
    throw error;
  }
}

/** One place where settings are said. */
export interface SettingsLayer {
  readonly origin: (name: SettingName) => string;
  readonly stated: StatedSettings;
}

function layersOf(flags: Flags, env: Environment, configuration: Configuration): SettingsLayer[] {
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

/** What holds where no flag says otherwise, the highest first. */
export function layersBelowFlags(env: Environment, configuration: Configuration): SettingsLayer[] {
  const { userFile, workspaceFile } = configuration;
  const model = defaultModelId(env);
  const variable = env.TROUPE_MODEL ? "TROUPE_MODEL" : "MODEL_ID";
  return [
    { origin: () => variable, stated: model ? { model } : {} },
    { origin: () => workspaceFile?.path ?? "", stated: workspaceSettings(configuration) },
    { origin: () => userFile?.path ?? "", stated: userFile?.stated ?? {} },
  ];
}

/** The highest that says something counts; rules and providers add up. */
function merge(layers: readonly SettingsLayer[]): StatedSettings {
  let merged: StatedSettings = {};
  for (const { stated } of layers.toReversed()) merged = { ...merged, ...stated };
  const all = (name: "allow" | "ask" | "deny") =>
    layers.flatMap(({ stated }) => stated[name] ?? []);
  const providers = Object.assign({}, ...layers.toReversed().map((it) => it.stated.providers));
  return { ...merged, allow: all("allow"), ask: all("ask"), deny: all("deny"), providers };
}

function originsOf(layers: readonly SettingsLayer[]): Map<SettingName, string> {
  const origins = new Map<SettingName, string>();
  for (const name of SettingName.options) {
    const layer = layers.find(({ stated }) => stated[name] !== undefined);
    if (layer) origins.set(name, layer.origin(name));
  }
  return origins;
}

function pendingConsent(
  { workspaceFile, loosenings, answer }: Configuration,
  flags: Flags,
  env: Environment,
): PendingConsent | undefined {
  if (!workspaceFile || answer === "trusted") return undefined;
  const isSaidAbove = (name: SettingName) =>
    flags[name] !== undefined || (name === "model" && defaultModelId(env) !== undefined);
  const matters = loosenings.some(({ name }) => name === "allow" || !isSaidAbove(name));
  if (!matters) return undefined;
  return { file: workspaceFile, loosenings, wasDeclined: answer === "declined" };
}

/** One line for a person who is not asked: what is not in force, and what to do about it. */
export function withheldLine({ file, loosenings }: PendingConsent): string {
  const names = loosenings.map(({ name }) => name).join(", ");
  return `note: ${file.path} is not trusted, so these settings are ignored: ${names}. Run \`troupe trust --show\` there to see them, and \`troupe trust\` to apply them.`;
}

/** How `io.openTeam` is told what the settings say. */
export function teamSettings(
  settings: ResolvedSettings,
): Omit<Parameters<Io["openTeam"]>[0], "denies" | "teamDir"> {
  return {
    model: settings.model,
    cwd: settings.cwd,
    env: settings.env,
    providers: settings.providers,
    mode: settings["permission-mode"],
    allow: settings.allow,
    ask: settings.ask,
    deny: settings.deny,
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
