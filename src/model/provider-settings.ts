import { TeamError } from "../errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The supported APIs. A provider is built in under each of these names. */
export const providerFamilies = ["anthropic", "openai", "google", "openai-compatible"] as const;
export type ProviderFamily = (typeof providerFamilies)[number];

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

interface ApiKey {
  readonly name: string;
  readonly value: string;
}

interface ProviderRow {
  readonly family: ProviderFamily;
  /** The provider's name in messages. */
  readonly label: string;
  /** The first variable that is set counts. */
  readonly keyVariables: readonly string[];
  readonly needsKey: boolean;
  readonly baseUrl?: string | undefined;
  readonly baseUrlVariable?: string;
  /** The timeout for the first byte of an answer. */
  readonly headersMs: number;
  /** The headers by which a request carries the key. */
  authHeaders(key: ApiKey): Record<string, string>;
}

const bearer = ({ value }: ApiKey) => ({ authorization: `Bearer ${value}` });

const builtIn: Readonly<Record<ProviderFamily, ProviderRow>> = {
  anthropic: {
    family: "anthropic",
    label: "Anthropic",
    keyVariables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    needsKey: true,
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com",
    headersMs: 60_000,
    authHeaders: (key) => ({
      "anthropic-version": "2023-06-01",
      ...(isBearerToken(key) ? bearer(key) : { "x-api-key": key.value }),
    }),
  },
  openai: {
    family: "openai",
    label: "OpenAI",
    keyVariables: ["OPENAI_API_KEY"],
    needsKey: true,
    baseUrlVariable: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
    headersMs: 60_000,
    authHeaders: bearer,
  },
  google: {
    family: "google",
    label: "Google",
    keyVariables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"],
    needsKey: true,
    baseUrlVariable: "GOOGLE_GENERATIVE_AI_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    headersMs: 60_000,
    authHeaders: ({ value }) => ({ "x-goog-api-key": value }),
  },
  "openai-compatible": {
    family: "openai-compatible",
    label: "The OpenAI-compatible endpoint",
    keyVariables: ["OPENAI_COMPATIBLE_API_KEY"],
    needsKey: false,
    baseUrlVariable: "OPENAI_COMPATIBLE_BASE_URL",
    // A local server may have to load the model before it can answer.
    headersMs: 300_000,
    authHeaders: bearer,
  },
};

/** Whether this key is sent to Anthropic as a bearer token. */
export function isBearerToken({ name }: ApiKey): boolean {
  return name === "ANTHROPIC_AUTH_TOKEN";
}

/** All providers by name: the built-in ones, and those a person has defined. */
function rowsOf(providers: ProviderDefinitions = {}): ReadonlyMap<string, ProviderRow> {
  const defined = Object.entries(providers).map(([name, definition]): [string, ProviderRow] => {
    checkProvider(name, definition);
    const { family, baseUrl, keyVariable } = definition;
    const { baseUrlVariable: _, ...row } = builtIn[family];
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
  return new Map([...Object.entries(builtIn), ...defined]);
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
  if (Object.hasOwn(builtIn, name)) {
    refuse("is built in", "Choose another name, or set the variables of the built-in provider.");
  }
  if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name)) {
    refuse("has a name that cannot be used", "Names match [a-z][a-z0-9_-]{0,31}.");
  }
  const { needsKey, baseUrl: usual } = builtIn[family];
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

function baseUrlOf({ family, baseUrl, baseUrlVariable }: ProviderRow, env: Environment): string {
  const given = (baseUrlVariable && env[baseUrlVariable]) || baseUrl;
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
