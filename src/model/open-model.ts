import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { Clock } from "../lib/clock.ts";
import {
  anthropic,
  chatCompletions,
  type Dialect,
  google,
  openAiResponses,
} from "./ai-sdk/dialect.ts";
import { type HttpFetch, httpFetchFor } from "./ai-sdk/http.ts";
import type { ModelThinking } from "./ai-sdk/thinking.ts";
import type { Watchdogs } from "./ai-sdk/watched-request.ts";
import { AiSdkModel } from "./ai-sdk-model.ts";
import { isBearerToken, type ProviderFamily } from "./built-in-providers.ts";
import { takesImage } from "./image-support.ts";
import type { Model } from "./model.ts";
import { modelFacts } from "./model-facts.ts";
import {
  type FamilySettings,
  modelCode,
  type ProviderConfiguration,
  providerSettings,
  secretsOf,
} from "./provider-settings.ts";

export interface ModelSurroundings extends ProviderConfiguration {
  readonly clock: Clock;
  /** Each one that is missing has the provider's default. */
  readonly watchdogs?: Partial<Watchdogs>;
  /** How requests are sent (default: over HTTP). */
  readonly fetch?: HttpFetch;
  /** The accounts that get no summaries of thoughts (default: none is known). */
  readonly withoutSummaries?: Set<string>;
}

/** Opens the model with this id, such as `anthropic/claude-…`. Only its provider is loaded. */
export async function openModel(id: string, surroundings: ModelSurroundings): Promise<Model> {
  const { clock, watchdogs, fetch } = surroundings;
  const settings = providerSettings(id, surroundings);
  if (settings.family === "package") {
    const { openPackageModel } = await import("./open-package-model.ts");
    return openPackageModel(settings, {
      ...surroundings,
      id,
      thinking: await thinkingOf(id, surroundings),
    });
  }
  const { family, label, baseUrl, keyName, headersMs, model, contextHint } = settings;
  const { load, addressHint } = families[family];
  const dialect = await families[family].dialect();
  const facts = await modelFacts(id, surroundings);
  return new AiSdkModel({
    id,
    dialect,
    thinking: dialect.thinking?.(model, facts),
    takesImage: takesImage(id, facts),
    ...(contextHint !== undefined && { contextHint }),
    connect: await load(settings),
    account: {
      ...{ label, baseUrl, keyName, addressHint },
      secrets: secretsOf(settings),
    },
    withoutSummaries: surroundings.withoutSummaries ?? new Set(),
    clock,
    watchdogs: { headersMs, stallMs: 90_000, ...watchdogs },
    fetch: fetch ?? (await httpFetchFor(surroundings.env)),
  });
}

/** Starts to load the code of a model's provider, so that it is ready when the model is opened. */
export function preloadProvider(id: string, configuration: ProviderConfiguration): void {
  const settings = providerSettings(id, configuration);
  if (settings.family === "package") return;
  // Opening the model meets the failure again, and reports it.
  families[settings.family].load(settings).catch(() => undefined);
}

/** How a model is told to think; undefined if it cannot be told. */
export async function thinkingOf(
  id: string,
  configuration: Pick<ProviderConfiguration, "providers">,
): Promise<ModelThinking | undefined> {
  const { model, ...code } = modelCode(id, configuration);
  const facts = await modelFacts(id, configuration);
  if (code.family === "package") {
    const { packageThinking } = await import("./ai-sdk/package-thinking.ts");
    return packageThinking(code.module, model, facts);
  }
  const dialect = await families[code.family].dialect();
  return dialect.thinking?.(model, facts);
}

/** An SDK's model, all of whose requests go through `through`. */
type Connect = (through: typeof fetch) => LanguageModelV3;

interface FamilyCode {
  dialect(): Promise<Dialect>;
  /** What may be wrong with an address at which a model is not found. */
  readonly addressHint?: string;
  /** Loads the SDK of this family only. */
  load(settings: FamilySettings): Promise<Connect>;
}

// If an SDK requires a key, an empty one is passed but never sent: a provider that needs a key is
// refused before.
const families: Readonly<Record<ProviderFamily, FamilyCode>> = {
  anthropic: {
    dialect: async () => anthropic,
    async load({ baseUrl: baseURL, model, key, headers }) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const apiKey = key?.value ?? "";
      const secret = key && isBearerToken(key) ? { authToken: apiKey } : { apiKey };
      return (fetch) => createAnthropic({ baseURL, fetch, headers, ...secret })(model);
    },
  },
  openai: {
    dialect: async () => openAiResponses,
    addressHint:
      "If only chat completions are served there, use openai-compatible/<model> with OPENAI_COMPATIBLE_BASE_URL.",
    async load({ baseUrl: baseURL, model, key, headers }) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const apiKey = key?.value ?? "";
      return (fetch) => createOpenAI({ baseURL, fetch, headers, apiKey }).responses(model);
    },
  },
  google: {
    dialect: async () => google,
    async load({ baseUrl: baseURL, model, key, headers }) {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      const apiKey = key?.value ?? "";
      return (fetch) => createGoogleGenerativeAI({ baseURL, fetch, headers, apiKey })(model);
    },
  },
  "openai-compatible": {
    dialect: async () => chatCompletions,
    async load({ family: name, baseUrl: baseURL, model, key, headers }) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const apiKey = key && { apiKey: key.value };
      const options = { name, baseURL, headers, includeUsage: true, ...apiKey };
      return (fetch) => createOpenAICompatible({ ...options, fetch })(model);
    },
  },
  openrouter: {
    dialect: async () => (await import("./ai-sdk/openrouter.ts")).openRouter,
    async load({ family: name, baseUrl: baseURL, model, key, headers }) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const { markedForCache } = await import("./ai-sdk/openrouter.ts");
      const options = { name, baseURL, headers, includeUsage: true, apiKey: key?.value ?? "" };
      const transformRequestBody = (body: Record<string, unknown>) => markedForCache(body, model);
      return (fetch) => createOpenAICompatible({ ...options, fetch, transformRequestBody })(model);
    },
  },
};
