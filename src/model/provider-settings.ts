import { TeamError } from "../errors.ts";
import {
  type ApiKey,
  builtInProviders,
  type ProviderFamily,
  type ProviderRow,
} from "./built-in-providers.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A provider that a person adds to the built-in ones. */
export interface ProviderDefinition {
  readonly family: ProviderFamily;
  /** Default: the family's own address, which OpenAI-compatible ones do not have. */
  readonly baseUrl?: string | undefined;
  /** The environment variable that holds the key. Optional for OpenAI-compatible ones. */
  readonly keyVariable?: string | undefined;
}

export type ProviderDefinitions = Readonly<Record<string, ProviderDefinition>>;

/** Where the keys and addresses of providers come from. */
export interface ProviderConfiguration {
  readonly env: Environment;
  /** Definitions by name: `<name>/<model>` is a model of one. */
  readonly providers?: ProviderDefinitions | undefined;
}

/** All providers by name: the built-in ones, and those a person has defined. */
function rowsOf(providers: ProviderDefinitions = {}): ReadonlyMap<string, ProviderRow> {
  const defined = Object.entries(providers).map(([name, definition]): [string, ProviderRow] => {
    checkProvider(name, definition);
    const { family, baseUrl, keyVariable } = definition;
    const { baseUrlVariable: _, readBaseUrl: __, ...row } = builtInProviders[family];
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

/**
 * Throws `config-invalid` if a provider cannot be defined like this. The message contains no
 * values.
 */
export function checkProvider(name: string, definition: ProviderDefinition): void {
  const { family, baseUrl, keyVariable } = definition;
  const refuse = (problem: string, hint: string) => {
    throw new TeamError("config-invalid", `The provider "${name}" ${problem}`, { hint });
  };
  if (Object.hasOwn(builtInProviders, name)) {
    refuse("is built in", "Choose another name, or set the variables of the built-in provider.");
  }
  if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name)) {
    refuse("has a name that cannot be used", "Names match [a-z][a-z0-9_-]{0,31}.");
  }
  const { needsKey, baseUrl: usual } = builtInProviders[family];
  if (keyVariable !== undefined && !/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(keyVariable)) {
    const hint = "Name the environment variable that holds the key; the key itself stays there.";
    refuse("has a key-variable that is not the name of a variable", hint);
  }
  if (needsKey && keyVariable === undefined) {
    const hint = `Add "key-variable", such as "${name.toUpperCase().replaceAll("-", "_")}_API_KEY".`;
    refuse("has no key-variable", hint);
  }
  if ((baseUrl ?? usual) === undefined) {
    refuse("has no base-url", 'Add "base-url", such as "http://localhost:11434/v1".');
  }
  if (baseUrl !== undefined && !isBaseUrl(baseUrl)) {
    const hint = "Use an address such as https://example.com/v1, without user, query or fragment.";
    refuse("has a base-url that is not the base URL of an API", hint);
  }
}

/** The variables by which a person sets a provider up; of the keys, the first that is set counts. */
export interface ProviderVariables {
  readonly name: string;
  readonly keys: readonly string[];
  /** Undefined for a provider whose address is in the settings. */
  readonly baseUrl: string | undefined;
}

export function providerVariables(providers?: ProviderDefinitions): ProviderVariables[] {
  return [...rowsOf(providers)].map(([name, { keyVariables: keys, baseUrlVariable: baseUrl }]) => ({
    name,
    keys,
    baseUrl,
  }));
}

/** Variables whose values are secret, whichever provider is in use. */
export function providerKeyNames(providers?: ProviderDefinitions): string[] {
  return providerVariables(providers).flatMap(({ keys }) => keys);
}

/** All keys of providers in the environment. */
export function providerKeys({ env, providers }: ProviderConfiguration): string[] {
  return providerKeyNames(providers).flatMap((name) => env[name] || []);
}

/** The model that is used if none is named. */
export function defaultModelId(env: Environment): string | undefined {
  return env.TROUPE_MODEL || (env.MODEL_ID && `anthropic/${env.MODEL_ID}`) || undefined;
}

/** How to reach one model of a provider. */
export interface ProviderSettings
  extends Pick<ProviderRow, "family" | "label" | "headersMs" | "authHeaders"> {
  /** The provider's own name of the model. */
  readonly model: string;
  /** With the version in its path, and without a slash at its end. */
  readonly baseUrl: string;
  /** Undefined only for a provider that needs no key. */
  readonly key: ApiKey | undefined;
  /** The variable that a person would set, in words for a hint. */
  readonly keyName: string;
}

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
      { hint: `Set ${keyName}, or choose another model with --model.` },
    );
  }
  const key = name && value ? { name, value } : undefined;
  const reached = { model, baseUrl: baseUrlOf(row, env), key, keyName };
  return { family, label, headersMs, authHeaders, ...reached };
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

function baseUrlOf(row: ProviderRow, env: Environment): string {
  const { family, baseUrl, baseUrlVariable, readBaseUrl = (value: string) => value } = row;
  const set = baseUrlVariable && env[baseUrlVariable];
  const given = set ? readBaseUrl(set) : baseUrl;
  if (!given) {
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
