import { TeamError } from "../errors.ts";
import {
  type ApiKey,
  builtInProviders,
  type ProviderFamily,
  type ProviderRow,
} from "./built-in-providers.ts";
import { modelByKey } from "./default-model.ts";
import { type ProviderPackage, plainPackage } from "./package-providers.ts";

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** A provider that a person adds to the built-in ones. */
export interface ProviderDefinition {
  /** The API that it speaks. Either this or `package` is given. */
  readonly family?: ProviderFamily | undefined;
  /** The name of a provider package of the AI SDK, which the person installs. */
  readonly package?: string | undefined;
  /** Default: the family's or package's own address, which OpenAI-compatible ones do not have. */
  readonly baseUrl?: string | undefined;
  /** The environment variable that holds the key. Optional for OpenAI-compatible ones and packages. */
  readonly keyVariable?: string | undefined;
}

export type ProviderDefinitions = Readonly<Record<string, ProviderDefinition>>;

/** Where the keys and addresses of providers come from. */
export interface ProviderConfiguration {
  readonly env: EnvironmentVariables;
  /** Definitions by name: `<name>/<model>` is a model of one. */
  readonly providers?: ProviderDefinitions | undefined;
}

/** All providers by name: the built-in ones, and those a person has defined. */
function rowsOf(providers: ProviderDefinitions = {}): ReadonlyMap<string, ProviderRow> {
  const defined = Object.entries(providers).map(([name, definition]): [string, ProviderRow] => {
    checkProvider(name, definition);
    const { baseUrl, keyVariable } = definition;
    const { baseUrlVariable: _, readBaseUrl: __, ...row } = baseRow(definition);
    const keyVariables = keyVariable === undefined ? [] : [keyVariable];
    return [
      name,
      {
        ...row,
        label: `The provider ${name}`,
        keyVariables,
        needsKey: keyVariables.length > 0,
        baseUrl: baseUrl ?? row.baseUrl,
      },
    ];
  });
  return new Map([...Object.entries(builtInProviders), ...defined]);
}

/** What a definition has in common with others of its family, or all packages with each other. */
function baseRow({ family, package: name = "" }: ProviderDefinition): ProviderRow {
  if (family) return builtInProviders[family];
  const common = { label: "", keyVariables: [], needsKey: false, headersMs: 60_000 };
  return { ...common, family: "package", package: plainPackage(name), authHeaders: () => ({}) };
}

/**
 * Throws `config-invalid` if a provider cannot be defined like this. The message contains no
 * values.
 */
export function checkProvider(name: string, definition: ProviderDefinition): void {
  const { family, package: module, baseUrl, keyVariable } = definition;
  const refuse = (problem: string, hint: string) => {
    throw new TeamError("config-invalid", `The provider "${name}" ${problem}`, { hint });
  };
  if (Object.hasOwn(builtInProviders, name)) {
    refuse("is built in", "Choose another name, or set the variables of the built-in provider.");
  }
  if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name)) {
    refuse("has a name that cannot be used", "Names match [a-z][a-z0-9_-]{0,31}.");
  }
  if ((family === undefined) === (module === undefined)) {
    refuse("needs either a family or a package", 'Add "family" or "package", and not both.');
  }
  if (module !== undefined && !isModule(module)) {
    const hint = 'Give the name of a package, such as "@ai-sdk/groq".';
    refuse("has a package that is not the name of one", hint);
  }
  if (module !== undefined && /^@ai-sdk\/(amazon-bedrock|google-vertex)(\/|$)/.test(module)) {
    // They find credentials by themselves, and an address in the settings would get them.
    refuse("has a package that is built in", "Use bedrock/<model> or vertex/<model>.");
  }
  const { needsKey, baseUrl: usual } = baseRow(definition);
  if (keyVariable !== undefined && !/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(keyVariable)) {
    const hint = "Name the environment variable that holds the key; the key itself stays there.";
    refuse("has a key-variable that is not the name of a variable", hint);
  }
  if (needsKey && keyVariable === undefined) {
    const hint = `Add "key-variable", such as "${name.toUpperCase().replaceAll("-", "_")}_API_KEY".`;
    refuse("has no key-variable", hint);
  }
  if (module === undefined && (baseUrl ?? usual) === undefined) {
    refuse("has no base-url", 'Add "base-url", such as "http://localhost:11434/v1".');
  }
  if (baseUrl !== undefined && !isBaseUrl(baseUrl)) {
    const hint = "Use an address such as https://example.com/v1, without user, query or fragment.";
    refuse("has a base-url that is not the base URL of an API", hint);
  }
}

/** The name of a package, with or without a path in it. */
function isModule(text: string): boolean {
  const word = "[a-z0-9~-][a-z0-9._~-]*";
  return new RegExp(`^(@${word}/)?${word}(/[a-z0-9-]+)*$`).test(text) && text.length <= 200;
}

/** The variables by which a person sets a provider up; of the keys, the first that is set counts. */
export interface ProviderVariables {
  readonly name: string;
  readonly keys: readonly string[];
  readonly needsKey: boolean;
  /** Undefined for a provider whose address is in the settings. */
  readonly baseUrl: string | undefined;
  /** True if its code has to be installed. */
  readonly isPackage: boolean;
}

export function providerVariables(providers?: ProviderDefinitions): ProviderVariables[] {
  return [...rowsOf(providers)].map(([name, row]) => ({
    name,
    keys: row.keyVariables,
    needsKey: row.needsKey,
    baseUrl: row.baseUrlVariable,
    isPackage: row.package !== undefined,
  }));
}

/** Variables that no command has: they hold secrets or name a file of them. */
export function providerKeyNames(providers?: ProviderDefinitions): string[] {
  return [...secretNames(providers), ...secretFileNames()];
}

/** All keys and other credentials of providers in the environment. */
export function providerKeys({ env, providers }: ProviderConfiguration): string[] {
  return secretNames(providers).flatMap((name) => env[name] || []);
}

/** Variables that name a file of secrets. */
export function secretFileNames(): string[] {
  return [...rowsOf().values()].flatMap(({ fileVariable }) => fileVariable ?? []);
}

/** Variables whose values are secret, whichever provider is in use. */
function secretNames(providers: ProviderDefinitions | undefined): string[] {
  return [...rowsOf(providers).values()].flatMap(({ keyVariables, secretVariables = [] }) => [
    ...keyVariables,
    ...secretVariables,
  ]);
}

interface ReachedModel extends Pick<ProviderRow, "label" | "headersMs" | "authHeaders"> {
  /** The provider's own name of the model. */
  readonly model: string;
  /** Undefined only for a provider that needs no key. */
  readonly key: ApiKey | undefined;
  /** The variable that a person would set, in words for a hint. */
  readonly keyName: string;
}

/** How to reach one model of a provider. */
export interface FamilySettings extends ReachedModel, Pick<ProviderRow, "contextHint"> {
  readonly family: ProviderFamily;
  /** With the version in its path, and without a slash at its end. */
  readonly baseUrl: string;
}

/** The same for a provider whose code is a package. */
export interface PackageSettings extends ReachedModel, Pick<ProviderPackage, "requestOptions"> {
  readonly family: "package";
  /** What is imported. */
  readonly module: string;
  /** The version to install (default: the newest). */
  readonly version: string | undefined;
  /** Undefined for the package's own. */
  readonly baseUrl: string | undefined;
  /** With which the package is called. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export type ProviderSettings = FamilySettings | PackageSettings;

/** Finds the settings of the model `id`. Throws if something is missing or wrong. */
export function providerSettings(
  id: string,
  { env, providers }: ProviderConfiguration,
): ProviderSettings {
  const rows = rowsOf(providers);
  const { row, model } = parseModelId(id, rows);
  const { family, label, headersMs, authHeaders, keyVariables, needsKey } = row;
  const name = keyVariables.find((variable) => env[variable]);
  const value = name && env[name];
  const keyName = name ?? keyVariables[0] ?? 'the variable that "key-variable" names';
  if (!value && needsKey) {
    throw new TeamError(
      "provider-key-missing",
      `The model ${id} needs a key, but ${keyName} is not set`,
      { hint: `Set ${keyName}, or choose another model with --model, such as ${withoutKey(env)}.` },
    );
  }
  const key = name && value ? { name, value } : undefined;
  const reached = { label, headersMs, authHeaders, model, key, keyName };
  if (family !== "package") {
    const { contextHint } = row;
    const baseUrl = baseUrlOf(row, env) ?? "";
    return { family, baseUrl, ...reached, ...(contextHint !== undefined && { contextHint }) };
  }
  return { family, ...reached, ...packageSettings(id, { ...row, model, key }, env) };
}

function packageSettings(
  id: string,
  { model, key, ...row }: ProviderRow & { model: string; key: ApiKey | undefined },
  env: EnvironmentVariables,
): Pick<PackageSettings, "module" | "version" | "baseUrl" | "settings" | "requestOptions"> {
  const code = row.package ?? plainPackage(model);
  const missing = code.missing(env);
  if (missing !== undefined) {
    throw new TeamError("config-invalid", `The model ${id} needs ${missing}, which is not set`, {
      hint: `Set ${missing}, or choose another model with --model.`,
    });
  }
  const baseUrl = baseUrlOf(row, env);
  // Without a key a package would look for one in the environment, and send it to any address.
  const noKey = row.keyVariables.length === 0 ? { apiKey: "" } : {};
  const secret = key ? { [code.keySetting?.(key) ?? "apiKey"]: key.value } : noKey;
  const { version, requestOptions } = code;
  return {
    module: code.moduleFor(model),
    version,
    baseUrl,
    settings: given({ ...code.settings(env), ...secret, baseURL: baseUrl }),
    ...(requestOptions && { requestOptions }),
  };
}

/** Packages take an undefined value for one that was given. */
function given(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** A model for which nothing more has to be set. */
function withoutKey(env: EnvironmentVariables): string {
  const byKey = modelByKey(env);
  return byKey ? `${byKey.id} (${byKey.variable} is set)` : "rehearsal, which needs no key";
}

function parseModelId(
  id: string,
  rows: ReadonlyMap<string, ProviderRow>,
): { row: ProviderRow; model: string } {
  const slash = id.indexOf("/");
  const row = rows.get(id.slice(0, Math.max(slash, 0)));
  const model = id.slice(slash + 1);
  const isPlain = model !== "" && !/[\s\p{Cc}]/u.test(model);
  if (row && isPlain) return { row, model };
  const problem = slash === -1 || row ? "is not a model's name" : "has an unknown provider";
  throw new TeamError("config-invalid", `"${id}" ${problem}`, {
    hint: `Write <provider>/<model>, with one of the providers ${[...rows.keys()].join(", ")}; or rehearsal, which needs no key.`,
  });
}

/** Undefined only for a package that knows its own. */
function baseUrlOf(row: ProviderRow, env: EnvironmentVariables): string | undefined {
  const { family, baseUrl, baseUrlVariable, readBaseUrl = (value: string) => value } = row;
  const set = baseUrlVariable && env[baseUrlVariable];
  const given = set ? readBaseUrl(set) : baseUrl;
  if (!given) {
    if (row.package) return undefined;
    throw new TeamError(
      "config-invalid",
      `An OpenAI-compatible model needs ${baseUrlVariable}, which is not set`,
      {
        hint: `Set ${baseUrlVariable} to the endpoint's base URL, such as http://localhost:11434/v1.`,
      },
    );
  }
  if (!isBaseUrl(given)) {
    throw new TeamError("config-invalid", `${baseUrlVariable} is not the base URL of an API`, {
      hint: `Set ${baseUrlVariable} to an address such as https://example.com/v1, without user, query or fragment.`,
    });
  }
  const url = given.replace(/\/+$/, "");
  // Anthropic's own SDK expects the URL without the version, the AI SDK with it.
  return family === "anthropic" && !url.endsWith("/v1") ? `${url}/v1` : url;
}

/** Credentials in a URL would be shown wherever the URL is, and `fetch` refuses them anyway. */
function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  return Boolean(isPlain && /^https?:$/.test(url.protocol));
}
