import { TeamError } from "../errors.ts";
import { builtInProviders } from "./built-in-providers.ts";
import type { EnvironmentVariables } from "./provider-settings.ts";

/**
 * A model of each provider that suits most work at a moderate price, in the order in which the
 * providers' keys are looked for.
 */
export const suitableModels = {
  anthropic: "anthropic/claude-sonnet-5-5",
  openai: "openai/gpt-6.1-sol",
  google: "google/gemini-4-argon",
} as const;

const providers = ["anthropic", "openai", "google"] as const;

/** The model that the person has named in the environment. */
export function defaultModelId(env: EnvironmentVariables): string | undefined {
  return env.TROUPE_MODEL || (env.MODEL_ID && `anthropic/${env.MODEL_ID}`) || undefined;
}

interface ModelByKey {
  readonly id: string;
  /** The variable that holds the key of its provider. */
  readonly variable: string;
}

/** The model for a person who has named none: a suitable one of the first provider with a key. */
export function modelByKey(env: EnvironmentVariables): ModelByKey | undefined {
  for (const provider of providers) {
    const variable = builtInProviders[provider].keyVariables.find((name) => env[name]?.trim());
    if (variable !== undefined) return { id: suitableModels[provider], variable };
  }
  return undefined;
}

/** Tells the person which model was chosen for them. */
export function chosenByKey({ id, variable }: ModelByKey): string {
  return `No model is named, so ${id} is used, because ${variable} is set. Another one: --model, TROUPE_MODEL or "model" in your settings; \`troupe models\` lists what is known.`;
}

/** A model to name where the key of its provider is set, which chooses none. */
export const namedModels = {
  openrouter: "openrouter/anthropic/claude-sonnet-5.5",
  azure: "azure/<deployment>",
  bedrock: "bedrock/<model>",
  vertex: "vertex/<model>",
} as const;

const namedOnly = ["openrouter", "azure", "bedrock", "vertex"] as const;

export function noModel(env: EnvironmentVariables): TeamError {
  const ways = providers.map((provider) => {
    const [variable] = builtInProviders[provider].keyVariables;
    return `${variable} (then ${suitableModels[provider]} is used)`;
  });
  const others = `set ${ways.join(", ")}, or name a model (--model, TROUPE_MODEL): \`troupe models\` lists them, and rehearsal needs no key.`;
  for (const provider of namedOnly) {
    const [variable = ""] = builtInProviders[provider].keyVariables;
    if (!env[variable]?.trim()) continue;
    const message = `No model is chosen: ${variable} is set, but its models have to be named`;
    const list =
      provider === "azure"
        ? "the name that you gave the deployment"
        : `\`troupe models ${provider}/\` lists them`;
    const hint = `Name one with --model or TROUPE_MODEL, such as ${namedModels[provider]} (${list}). Or ${others}`;
    return new TeamError("model-missing", message, { hint });
  }
  return new TeamError("model-missing", "No model is chosen, and no key of a provider is set", {
    hint: `${others.charAt(0).toUpperCase()}${others.slice(1)}`,
  });
}
