import { TeamError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import { Secrets } from "../lib/secrets.ts";
import {
  type ApiKey,
  builtInProviders,
  type ProviderFamily,
  type ProviderRow,
} from "./built-in-providers.ts";
import { modelByKey } from "./default-model.ts";
import { type ProviderPackage, plainPackage } from "./package-providers.ts";
import {
  bareUrl,
  baseRow,
  checkProvider,
  isBaseUrl,
  type ProviderDefinitions,
} from "./provider-definitions.ts";

/** Environment variables by name; undefined for one that is not set. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

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
    const { baseUrl, keyVariable, headerVariables } = definition;
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
        ...(headerVariables && { headerVariables }),
      },
    ];
  });
  return new Map([...Object.entries(builtInProviders), ...defined]);
}

/** The variables by which a person sets a provider up; of the keys, the first that is set counts. */
export interface ProviderVariables {
  readonly name: string;
  readonly keys: readonly string[];
  /** Undefined for a provider whose address is in the settings. */
  readonly baseUrl: string | undefined;
  /** True if its code has to be installed. */
  readonly isPackage: boolean;
}

export function providerVariables(providers?: ProviderDefinitions): ProviderVariables[] {
  return [...rowsOf(providers)].map(([name, row]) => ({
    name,
    keys: row.keyVariables,
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
  return secretNames(providers).flatMap((name) => env[name]?.trim() || []);
}

/** Variables that name a file of secrets. */
export function secretFileNames(): string[] {
  return [...rowsOf().values()].flatMap(({ fileVariable }) => fileVariable ?? []);
}

/** Variables whose values are secret, whichever provider is in use. */
function secretNames(providers: ProviderDefinitions | undefined): string[] {
  return [...rowsOf(providers).values()].flatMap(
    ({ keyVariables, secretVariables = [], headerVariables = {} }) => [
      ...keyVariables,
      ...secretVariables,
      ...Object.values(headerVariables),
    ],
  );
}

interface ReachedModel extends Pick<ProviderRow, "label" | "headersMs" | "authHeaders"> {
  /** The provider's own name of the model. */
  readonly model: string;
  /** Undefined only for a provider that needs no key. */
  readonly key: ApiKey | undefined;
  /** The variable that a person would set, in words for a hint. */
  readonly keyName: string;
  /** What the person has its requests carry besides the key. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How to reach one model of a provider. */
export interface FamilySettings extends ReachedModel, Pick<ProviderRow, "contextHint"> {
  readonly family: ProviderFamily;
  /** With the version in its path, and without a slash at its end. */
  readonly baseUrl: string;
}

/** The same for a provider whose code is a package. */
export interface PackageSettings
  extends ReachedModel,
    Pick<ProviderPackage, "requestOptions" | "loginHint"> {
  readonly family: "package";
  /** What is imported. */
  readonly module: string;
  /** The version to install (default: the newest). */
  readonly version: string | undefined;
  /** Undefined for the package's own. */
  readonly baseUrl: string | undefined;
  /** With which the package is called; it sends its requests by `send`. */
  settings(send: typeof fetch): Readonly<Record<string, unknown>>;
}

export type ProviderSettings = FamilySettings | PackageSettings;

/** Throws if `id` is no model's name, or the provider in it is unknown. */
export function checkModelName(id: string, { providers }: ProviderConfiguration): void {
  parseModelId(id, rowsOf(providers));
}

/** Whose code asks the model `id`, whatever else its provider needs. */
export function modelCode(id: string, { providers }: Pick<ProviderConfiguration, "providers">) {
  const { row, model } = parseModelId(id, rowsOf(providers));
  const { family } = row;
  if (family !== "package") return { family, model };
  return { family, model, module: (row.package ?? plainPackage(model)).moduleFor(model) };
}

/** Finds the settings of the model `id`. Throws if something is missing or wrong. */
export function providerSettings(
  id: string,
  { env, providers }: ProviderConfiguration,
): ProviderSettings {
  const rows = rowsOf(providers);
  const { row, model } = parseModelId(id, rows);
  const { family, label, headersMs, authHeaders, keyVariables, needsKey } = row;
  const key = keyOf(keyVariables, env);
  const keyName = key?.name ?? keyVariables[0] ?? "the variable of its key";
  if (!key && needsKey) {
    throw new TeamError(
      "provider-key-missing",
      `The model ${id} needs a key, but ${keyName} is not set`,
      {
        hint: `Set ${keyVariables.join(" or ")}, or choose another model, such as ${withoutKey(env)}.`,
      },
    );
  }
  const headers = headersOf(row, id, env);
  const reached = { label, headersMs, authHeaders, model, key, keyName, headers };
  if (family !== "package") {
    const { contextHint } = row;
    const baseUrl = baseUrlOf(row, env) ?? "";
    return { family, baseUrl, ...reached, ...(contextHint !== undefined && { contextHint }) };
  }
  return { family, ...reached, ...packageSettings(id, { ...row, model, key, headers }, env) };
}

/**
 * The key in the first of the variables that is set. White space around it comes from a file or a
 * copy; any other character that HTTP cannot carry would be reported as a failure of the network.
 */
function keyOf(variables: readonly string[], env: EnvironmentVariables): ApiKey | undefined {
  const name = variables.find((variable) => env[variable]?.trim());
  const value = name && env[name]?.trim();
  if (!name || !value) return undefined;
  return { name, value: sendable(name, value, /^[\x21-\x7e]+$/) };
}

function headersOf(
  { headerVariables = {} }: ProviderRow,
  id: string,
  env: EnvironmentVariables,
): Record<string, string> {
  const headers = Object.entries(headerVariables).map(([header, name]): [string, string] => {
    const value = env[name]?.trim();
    if (value) return [header, sendable(name, value)];
    throw new TeamError(
      "provider-key-missing",
      `The model ${id} needs the header ${header}, but ${name} is not set`,
      { hint: `Set ${name}, or choose another model, such as ${withoutKey(env)}.` },
    );
  });
  return Object.fromEntries(headers);
}

function sendable(name: string, value: string, characters = /^[\x20-\x7e]+$/): string {
  if (characters.test(value)) return value;
  throw new TeamError("config-invalid", `${name} has a character that no key has`, {
    hint: `Set ${name} to the key alone: no space or line break, no curly quotes, no letters with accents.`,
  });
}

/** What must not be in any message about requests that are sent like this. */
export function secretsOf({ key, headers }: Pick<ReachedModel, "key" | "headers">): Secrets {
  return new Secrets([...(key ? [key.value] : []), ...Object.values(headers)]);
}

function packageSettings(
  id: string,
  { model, key, headers, ...row }: ProviderRow & Pick<ReachedModel, "model" | "key" | "headers">,
  env: EnvironmentVariables,
): Omit<PackageSettings, keyof ReachedModel | "family"> {
  const code = row.package ?? plainPackage(model);
  const missing = code.missing(env);
  if (missing !== undefined) {
    throw new TeamError("config-invalid", `The model ${id} needs ${missing} to be set`, {
      hint: `Set ${missing}, or choose another model, such as ${withoutKey(env)}.`,
    });
  }
  const baseUrl = baseUrlOf(row, env);
  // Without a key a package would look for one in the environment, and send it to any address.
  const noKey = row.keyVariables.length === 0 ? { apiKey: "" } : {};
  const secret = key ? { [code.keySetting?.(key) ?? "apiKey"]: key.value } : noKey;
  const { version, requestOptions, loginHint } = code;
  return {
    module: code.moduleFor(model),
    version,
    baseUrl,
    settings: (send) =>
      given({
        ...code.settings(env, send),
        ...secret,
        baseURL: baseUrl,
        fetch: send,
        ...(row.headerVariables && { headers }),
      }),
    ...(requestOptions && { requestOptions }),
    ...(loginHint !== undefined && { loginHint }),
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
  const meant = row ? undefined : meantBy(id, [...rows.keys()]);
  const suggestion = meant ? `Did you mean ${meant}? ` : "";
  throw new TeamError("config-invalid", `"${id}" ${problem}`, {
    hint: `${suggestion}Write <provider>/<model>, with one of the providers ${[...rows.keys()].join(", ")}; or rehearsal, which needs no key.`,
  });
}

/** What may be meant by an id whose provider is unknown or missing. */
function meantBy(id: string, providers: readonly string[]): string | undefined {
  const [, word = id, model = "<model>"] = /^([^/:]*)[/:](.+)$/s.exec(id) ?? [];
  // Others write `openai:gpt-…`; to Ollama `llama3:8b` is a model.
  if (!id.includes("/") && id.includes(":") && !providers.includes(word)) return undefined;
  const provider = nearest(word, [...providers, "rehearsal"]);
  return provider === undefined || provider === "rehearsal" ? provider : `${provider}/${model}`;
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
        hint: `Set ${baseUrlVariable} to the endpoint's base URL, such as http://localhost:11434/v1, or choose another model, such as ${withoutKey(env)}.`,
      },
    );
  }
  if (!isBaseUrl(given)) {
    const example = `https://example.com${family === "anthropic" ? "" : "/v1"}`;
    throw new TeamError("config-invalid", `${baseUrlVariable} is not the base URL of an API`, {
      hint: `Set ${baseUrlVariable} to an address such as ${example}, ${bareUrl}.`,
    });
  }
  const url = given.replace(/\/+$/, "");
  // Anthropic's own SDK expects the URL without the version, the AI SDK with it.
  return family === "anthropic" && !url.endsWith("/v1") ? `${url}/v1` : url;
}
