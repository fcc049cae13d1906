import { type ProviderPackage, packageProviders } from "./package-providers.ts";

/** The supported APIs. A provider is built in under each of these names. */
export const providerFamilies = [
  "anthropic",
  "openai",
  "google",
  "openai-compatible",
  "openrouter",
] as const;
/** An API that troupe speaks itself. */
export type ProviderFamily = (typeof providerFamilies)[number];

export interface ApiKey {
  readonly name: string;
  readonly value: string;
}

/** What is known of a provider, whichever model of it is used. */
export interface ProviderRow {
  /** `package`: its code is installed by the person. */
  readonly family: ProviderFamily | "package";
  readonly package?: ProviderPackage;
  /** The provider's name in messages. */
  readonly label: string;
  /** The first variable that is set counts. */
  readonly keyVariables: readonly string[];
  /** Variables with secrets besides the keys. */
  readonly secretVariables?: readonly string[];
  /** The variables with the values of further headers, by header. */
  readonly headerVariables?: Readonly<Record<string, string>>;
  /** The variable that names a file with secrets. */
  readonly fileVariable?: string;
  readonly needsKey: boolean;
  readonly baseUrl?: string | undefined;
  readonly baseUrlVariable?: string;
  /** The timeout for the first byte of an answer. */
  readonly headersMs: number;
  /**
   * For a server that may cut off what exceeds its context without saying so: how to give it a longer
   * one.
   */
  readonly contextHint?: string;
  /** The address in `baseUrlVariable`, where that is more than the base URL itself. */
  readBaseUrl?(value: string): string;
  /** The headers by which a request carries the key. */
  authHeaders(key: ApiKey): Record<string, string>;
}

const bearer = ({ value }: ApiKey) => ({ authorization: `Bearer ${value}` });

/** A server of one's own: it needs no key, and may have to load the model before it can answer. */
const localServer = {
  family: "openai-compatible",
  needsKey: false,
  headersMs: 300_000,
  authHeaders: bearer,
} as const;

type BuiltInName = ProviderFamily | "ollama" | "lmstudio" | "vllm" | keyof typeof packageProviders;

export const builtInProviders: Readonly<Record<BuiltInName, ProviderRow>> = {
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
  openrouter: {
    family: "openrouter",
    label: "OpenRouter",
    keyVariables: ["OPENROUTER_API_KEY"],
    needsKey: true,
    baseUrlVariable: "OPENROUTER_BASE_URL",
    baseUrl: "https://openrouter.ai/api/v1",
    headersMs: 60_000,
    authHeaders: bearer,
  },
  "openai-compatible": {
    ...localServer,
    label: "The OpenAI-compatible endpoint",
    contextHint: "Give the model a longer context on the server.",
    keyVariables: ["OPENAI_COMPATIBLE_API_KEY"],
    baseUrlVariable: "OPENAI_COMPATIBLE_BASE_URL",
  },
  ollama: {
    ...localServer,
    label: "Ollama",
    contextHint: "Start the server with a longer context: OLLAMA_CONTEXT_LENGTH=65536 ollama serve",
    keyVariables: ["OLLAMA_API_KEY"],
    baseUrlVariable: "OLLAMA_HOST",
    baseUrl: "http://localhost:11434/v1",
    readBaseUrl: ollamaUrl,
  },
  lmstudio: {
    ...localServer,
    label: "LM Studio",
    contextHint: "Load the model with a longer context in LM Studio.",
    keyVariables: ["LMSTUDIO_API_KEY"],
    baseUrlVariable: "LMSTUDIO_BASE_URL",
    baseUrl: "http://localhost:1234/v1",
  },
  vllm: {
    ...localServer,
    label: "vLLM",
    keyVariables: ["VLLM_API_KEY"],
    baseUrlVariable: "VLLM_BASE_URL",
    baseUrl: "http://localhost:8000/v1",
  },
  ...packageProviders,
};

/** Whether this key is sent to Anthropic as a bearer token. */
export function isBearerToken({ name }: ApiKey): boolean {
  return name === "ANTHROPIC_AUTH_TOKEN";
}

/**
 * The base URL of the server that `OLLAMA_HOST` names. The server reads the same variable, so it may
 * be an address to listen on, with any of its parts left out.
 */
function ollamaUrl(host: string): string {
  const [, scheme = "http://", rest = ""] = /^(https?:\/\/)?(.*)$/s.exec(host.trim()) ?? [];
  const [authority = "", ...path] = rest.replace(/\/+$/, "").split("/");
  const [, name = "", port] = /^(.*?)(?::(\d+))?$/s.exec(authority) ?? [];
  const usualPort = scheme === "https://" ? "443" : "11434";
  const place = ["", "0.0.0.0", "[::]"].includes(name) ? "localhost" : name;
  const base = [`${scheme}${place}:${port ?? usualPort}`, ...path].join("/");
  return base.endsWith("/v1") ? base : `${base}/v1`;
}
