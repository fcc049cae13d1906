import { TeamError } from "../errors.ts";
import { closest } from "../lib/nearest.ts";
import { suitableModels } from "./default-model.ts";
import { loadTable } from "./model-facts.ts";
import { checkedModelIds } from "./model-list.ts";
import { checkModel, hasProvider } from "./models.ts";
import type { ProviderConfiguration } from "./provider-settings.ts";

/**
 * The whole id of the model that is meant, or of each in a list: of a model of the table, the
 * provider may be left out. Throws if one cannot be used, as far as that is known without opening it.
 */
export async function resolveModel(
  list: string,
  configuration: ProviderConfiguration,
): Promise<string> {
  const ids: string[] = [];
  for (const id of checkedModelIds(list)) ids.push(await resolveOne(id, configuration));
  return ids.join(",");
}

async function resolveOne(id: string, configuration: ProviderConfiguration): Promise<string> {
  const whole = id.includes("/") || !hasProvider(id) ? id : await withProvider(id);
  try {
    checkModel(whole, configuration);
    return whole;
  } catch (error) {
    if (!(error instanceof TeamError) || error.code !== "config-invalid") throw error;
    const hint = [error.hint, await similarModels(id)].filter(Boolean).join(" ");
    throw new TeamError(error.code, error.message, { cause: error, hint });
  }
}

const tableNames = ["anthropic", "openai", "google"] as const;

async function withProvider(model: string): Promise<string> {
  const found: string[] = [];
  for (const provider of tableNames) {
    if (Object.hasOwn(await loadTable(provider), model)) found.push(`${provider}/${model}`);
  }
  const [only, ...others] = found;
  return only !== undefined && others.length === 0 ? only : model;
}

/** Names models of the table that a person may have meant by `id`, or else one that works. */
export async function similarModels(id: string): Promise<string> {
  const slash = id.indexOf("/");
  const named = tableNames.filter((name) => name === id.slice(0, Math.max(slash, 0)));
  const ids: string[] = [];
  for (const provider of named.length > 0 ? named : tableNames) {
    const models = Object.keys(await loadTable(provider));
    ids.push(...models.map((model) => `${provider}/${model}`));
  }
  const nameOf = (each: string) => each.slice(each.indexOf("/") + 1);
  const others = ids.filter((each) => each !== id);
  const similar = closest(id.slice(slash + 1), others, nameOf);
  if (similar.length > 0) return `Known models with similar names: ${similar.join(", ")}.`;
  const suitable = named.length > 0 ? named : tableNames;
  return `Models that work: ${suitable.map((name) => suitableModels[name]).join(", ")}.`;
}
