import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { Clock } from "../lib/clock.ts";
import { Secrets } from "../lib/secrets.ts";
import { anthropic, type Dialect, google, openAi, openAiCompatible } from "./ai-sdk/dialect.ts";
import type { HttpFetch } from "./ai-sdk/http.ts";
import type { Watchdogs } from "./ai-sdk/wire.ts";
import { AiSdkModel } from "./ai-sdk-model.ts";
import type { Model } from "./model.ts";
import { type Environment, type ProviderSettings, providerSettings } from "./provider-settings.ts";

export interface ModelSurroundings {
  readonly env: Environment;
  readonly clock: Clock;
  /** Where it leaves one out, the provider's own default holds. */
  readonly watchdogs?: Partial<Watchdogs>;
  /** How a server is asked; over HTTP, unless told otherwise. */
  readonly fetch?: HttpFetch;
}

/** Makes the model that a person named, such as `anthropic/claude-…`. Only its provider is loaded. */
export async function openModel(id: string, surroundings: ModelSurroundings): Promise<Model> {
  const { env, clock, watchdogs, fetch } = surroundings;
  const settings = providerSettings(id, env);
  const { baseUrl, key, keyName } = settings;
  const { dialect, connect } = await load(settings);
  return new AiSdkModel({
    id,
    dialect,
    connect,
    account: { baseUrl, keyName, secrets: new Secrets(key ? [key.value] : []) },
    clock,
    watchdogs: { ...defaultWatchdogs(settings), ...watchdogs },
    ...(fetch && { fetch }),
  });
}

/** Begins to load what a model's provider needs, so that it is there when the model is opened. */
export function preloadProvider(id: string, env: Environment): void {
  const loading = load(providerSettings(id, env));
  // Whoever opens the model meets the failure again, and tells it.
  loading.catch(() => undefined);
}

/** A local server may have to load the model before it can answer. */
function defaultWatchdogs({ provider }: ProviderSettings): Watchdogs {
  return { headersMs: provider === "openai-compatible" ? 300_000 : 60_000, stallMs: 90_000 };
}

interface Provider {
  readonly dialect: Dialect;
  connect(through: typeof fetch): LanguageModelV3;
}

async function load(settings: ProviderSettings): Promise<Provider> {
  const { provider, model, baseUrl: baseURL, key } = settings;
  // The empty key is never sent: a provider that has none here is refused before.
  const apiKey = key?.value ?? "";
  switch (provider) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const secret = key?.name === "ANTHROPIC_AUTH_TOKEN" ? { authToken: apiKey } : { apiKey };
      return {
        dialect: anthropic,
        connect: (fetch) => createAnthropic({ baseURL, fetch, ...secret })(model),
      };
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return {
        dialect: openAi,
        connect: (fetch) => createOpenAI({ baseURL, fetch, apiKey }).chat(model),
      };
    }
    case "google": {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return {
        dialect: google,
        connect: (fetch) => createGoogleGenerativeAI({ baseURL, fetch, apiKey })(model),
      };
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const options = { name: provider, baseURL, includeUsage: true, ...(apiKey && { apiKey }) };
      return {
        dialect: openAiCompatible,
        connect: (fetch) => createOpenAICompatible({ ...options, fetch })(model),
      };
    }
  }
}
