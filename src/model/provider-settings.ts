import { TeamError } from "../errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export const providers = ["anthropic", "openai", "google", "openai-compatible"] as const;
export type ProviderName = (typeof providers)[number];

/** Variables in the order in which they are looked at. */
const keyNames = {
  anthropic: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  openai: ["OPENAI_API_KEY"],
  google: ["GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"],
  "openai-compatible": ["OPENAI_COMPATIBLE_API_KEY"],
} as const satisfies Record<ProviderName, readonly string[]>;

const baseUrls: Record<ProviderName, { name: string; default?: string }> = {
  anthropic: { name: "ANTHROPIC_BASE_URL", default: "https://api.anthropic.com" },
  openai: { name: "OPENAI_BASE_URL", default: "https://api.openai.com/v1" },
  google: {
    name: "GOOGLE_GENERATIVE_AI_BASE_URL",
    default: "https://generativelanguage.googleapis.com/v1beta",
  },
  "openai-compatible": { name: "OPENAI_COMPATIBLE_BASE_URL" },
};

/** The variables by which a person sets a provider up; of the keys, the first that is set counts. */
export function providerVariables(provider: ProviderName): {
  keys: readonly string[];
  baseUrl: string;
} {
  return { keys: keyNames[provider], baseUrl: baseUrls[provider].name };
}

/** Variables whose values are secret, whichever provider is in use. */
export const providerKeyNames: readonly string[] = Object.values(keyNames).flat();

/** All keys of providers that `env` holds. */
export function providerKeys(env: Environment): string[] {
  return providerKeyNames.flatMap((name) => env[name] || []);
}

/** The model that is used where nobody names one. */
export function defaultModelId(env: Environment): string | undefined {
  return env.TROUPE_MODEL || (env.MODEL_ID && `anthropic/${env.MODEL_ID}`) || undefined;
}

/** The provider of a model such as `anthropic/claude-…`. Its keys' limits are shared by its models. */
export function providerOf(id: string): ProviderName {
  return parseModelId(id).provider;
}

/** How to reach one model of a provider. */
export interface ProviderSettings {
  readonly provider: ProviderName;
  /** The provider's own name of the model. */
  readonly model: string;
  /** With the version in its path, and without a slash at its end. */
  readonly baseUrl: string;
  /** Only the OpenAI-compatible endpoints can do without one. */
  readonly key: { readonly name: string; readonly value: string } | undefined;
  /** The variable that a person would set. */
  readonly keyName: string;
}

/** Reads from `env` what the model `id` needs, and says what is missing or wrong. */
export function providerSettings(id: string, env: Environment): ProviderSettings {
  const { provider, model } = parseModelId(id);
  const [keyName] = keyNames[provider];
  const name = keyNames[provider].find((name) => env[name]);
  const value = name && env[name];
  if (!value && provider !== "openai-compatible") {
    throw new TeamError(
      "provider-key-missing",
      `The model ${id} needs a key, and ${keyName} is not set`,
      {
        hint: `Set ${keyName}, or choose another model with --model.`,
      },
    );
  }
  return {
    provider,
    model,
    baseUrl: baseUrl(provider, env),
    key: name && value ? { name, value } : undefined,
    keyName: name ?? keyName,
  };
}

function parseModelId(id: string): { provider: ProviderName; model: string } {
  const slash = id.indexOf("/");
  const provider = providers.find((name) => name === id.slice(0, slash));
  const model = id.slice(slash + 1);
  const isPlain = model !== "" && !/[\s\p{Cc}]/u.test(model);
  if (slash !== -1 && provider && isPlain) return { provider, model };
  const problem = slash === -1 || provider ? "is not a model's name" : "has an unknown provider";
  throw new TeamError("config-invalid", `"${id}" ${problem}`, {
    hint: `Write <provider>/<model>, with one of the providers ${providers.join(", ")}; or rehearsal, which needs no key.`,
  });
}

function baseUrl(provider: ProviderName, env: Environment): string {
  const { name, default: standard } = baseUrls[provider];
  const given = env[name] || standard;
  if (!given) {
    throw new TeamError(
      "config-invalid",
      `An OpenAI-compatible model needs ${name}, which is not set`,
      {
        hint: `Set ${name} to the endpoint's base URL, such as http://localhost:11434/v1.`,
      },
    );
  }
  const url = checkUrl(given, name).replace(/\/+$/, "");
  // Anthropic's own SDK wants it without the version, the AI SDK with it.
  return provider === "anthropic" && !url.endsWith("/v1") ? `${url}/v1` : url;
}

/** Credentials in a URL would be shown wherever the URL is, and `fetch` refuses them anyway. */
function checkUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  if (isPlain && /^https?:$/.test(url.protocol)) return text;
  throw new TeamError("config-invalid", `${name} is not the base URL of an API`, {
    hint: `Set ${name} to an address such as https://example.com/v1, without user, query or fragment.`,
  });
}
