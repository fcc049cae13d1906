import { lstat, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { hasErrno, TeamError } from "../errors.ts";
import { quoted } from "../lib/file-owner.ts";
import { parseJson } from "../lib/json.ts";
import type { EnvironmentVariables, PackageSettings } from "./provider-settings.ts";
import type { SdkLanguageModel } from "./sdk-language-model.ts";

/**
 * Where a person installs provider packages. Nothing is loaded from the workspace or the directories
 * above it: that would run a stranger's code with the keys in reach.
 */
function packagesDirectory(env: EnvironmentVariables): string {
  const { XDG_DATA_HOME: data, HOME: home } = env;
  const base = data && isAbsolute(data) ? data : join(home || homedir(), ".local/share");
  return join(base, "troupe/providers");
}

/** Makes a provider's model of the settings for the package. */
type CreateModel = (settings: Readonly<Record<string, unknown>>) => SdkLanguageModel;

/** Loads a package that the person has installed. Throws `config-invalid` with what to do. */
export async function loadProviderPackage(
  { module, version, model }: PackageSettings,
  env: EnvironmentVariables,
): Promise<CreateModel> {
  const { name, part } = split(module);
  const directory = packagesDirectory(env);
  const install = `npm install --prefix ${quoted(directory)} ${wantedVersion(name, version)}`;
  const folder = join(directory, "node_modules", name);
  await refuseUnsafe([directory, join(directory, "node_modules"), folder], { name, install });
  const file = await entryOf(folder, part, install);
  const loaded = await importInstalled(pathToFileURL(file).href);
  const create = factoryIn(loaded, module);
  return (settings) => modelOf(create(settings), { model, module });
}

/**
 * What to install. The newest packages of the AI SDK need Node 22; of those that run on Node 20, most
 * have the major version 3.
 */
function wantedVersion(name: string, version: string | undefined): string {
  if (version !== undefined) return `${name}@${version}`;
  const isOldNode = Number.parseInt(process.versions.node, 10) < 22;
  return isOldNode && name.startsWith("@ai-sdk/") ? `${name}@3` : name;
}

/** The build knows this import by the name of the parameter. */
async function importInstalled(installedCode: string): Promise<unknown> {
  return import(installedCode);
}

/** `@ai-sdk/google-vertex/anthropic` is the part `./anthropic` of a package. */
function split(module: string): { name: string; part: string } {
  const parts = module.split("/");
  const size = module.startsWith("@") ? 2 : 1;
  return { name: parts.slice(0, size).join("/"), part: [".", ...parts.slice(size)].join("/") };
}

async function refuseUnsafe(
  directories: readonly string[],
  { name, install }: { name: string; install: string },
): Promise<void> {
  for (const directory of directories) {
    const stats = await lstat(directory).catch((error: unknown) => {
      if (!hasErrno(error, "ENOENT", "ENOTDIR")) throw error;
      const text = `The package ${name} is not installed, which this provider's models need`;
      throw new TeamError("config-invalid", text, { hint: `Install it: ${install}` });
    });
    const isOwn = process.getuid === undefined || stats.uid === process.getuid();
    if (isOwn && (stats.isSymbolicLink() || (stats.mode & 0o022) === 0)) continue;
    throw new TeamError("config-invalid", `Somebody else can change ${directory}`, {
      hint: `Code in it would run with your keys. Make it yours alone: chmod -R go-w ${quoted(directory)}. If your umask lets your group write, install with: (umask 022 && ${install})`,
    });
  }
}

const conditions = ["import", "node", "default"] as const;
type ExportTarget = string | { [condition: string]: ExportTarget } | null;
const ExportTarget: z.ZodType<ExportTarget> = z.lazy(() =>
  z.union([z.string(), z.null(), z.record(z.string(), ExportTarget)]),
);
const PackageJson = z.object({ exports: z.record(z.string(), ExportTarget) });

async function entryOf(folder: string, part: string, install: string): Promise<string> {
  const path = join(folder, "package.json");
  const { exports } = parseJson(await readFile(path, "utf8"), PackageJson, path);
  const target = pick(exports[part] ?? null);
  if (target?.startsWith("./") && !target.includes("..")) return join(folder, target);
  throw new TeamError("config-invalid", `${folder} has no part ${part} that can be imported`, {
    hint: `Install it again: ${install}`,
  });
}

function pick(target: ExportTarget): string | undefined {
  if (target === null || typeof target === "string") return target ?? undefined;
  const condition = conditions.find((each) => target[each] !== undefined);
  return condition && pick(target[condition] ?? null);
}

type Factory = (settings: Readonly<Record<string, unknown>>) => unknown;

/** The function that makes a provider. In packages of the AI SDK its name begins with `create`. */
function factoryIn(loaded: unknown, module: string): Factory {
  const members = typeof loaded === "object" && loaded !== null ? Object.entries(loaded) : [];
  const factories = members.filter(
    (member): member is [string, Factory] =>
      /^create[A-Z]/.test(member[0]) && typeof member[1] === "function",
  );
  const [create, ...others] = new Set(factories.map(([, value]) => value));
  if (create && others.length === 0) return create;
  throw new TeamError("config-invalid", `${module} is not a provider package of the AI SDK`, {
    hint: "Such a package exports one function whose name begins with create, such as createGroq.",
  });
}

const Model = z.custom<SdkLanguageModel>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    "specificationVersion" in value &&
    "doStream" in value,
);

function modelOf(provider: unknown, { model, module }: { model: string; module: string }) {
  const { data } = Model.safeParse(typeof provider === "function" ? provider(model) : undefined);
  if (data) return data;
  throw new TeamError("config-invalid", `${module} has no language models`, {
    hint: "Name a provider package of the AI SDK.",
  });
}
