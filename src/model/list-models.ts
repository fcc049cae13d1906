import { TeamError } from "../errors.ts";
import {
  loadTable,
  type ModelFacts,
  modelFacts,
  type OwnModels,
  tableProviders,
} from "./model-facts.ts";
import type { ProviderDefinitions } from "./provider-definitions.ts";
import {
  type ProviderConfiguration,
  providerSettings,
  providerVariables,
} from "./provider-settings.ts";

export interface ListedModel {
  readonly id: string;
  readonly facts: ModelFacts;
  /** Whether its provider has what it needs: a key, or nothing. */
  readonly isReady: boolean;
  /** False for the rehearsal model, and for what a person has said of models by their beginning. */
  readonly isKnown: boolean;
}

/** All models of the table, of the person's own providers and in the person's own entries. */
export async function listModels(
  options: ProviderConfiguration & { readonly models: OwnModels },
): Promise<ListedModel[]> {
  const { env, models, providers = {} } = options;
  const names = providerVariables(providers).map(({ name }) => name);
  const ready = new Set(names.filter((name) => isComplete(`${name}/any`, { env, providers })));
  const isReady = (id: string) => id === "rehearsal" || ready.has(id.split("/", 1)[0] ?? "");
  const ids = new Set([...(await tableIds(providers, names)), ...Object.keys(models)]);
  return Promise.all(
    [...ids].map(async (id) => ({
      id,
      facts: id.endsWith("*") ? (models[id] ?? {}) : await modelFacts(id, { models, providers }),
      isReady: isReady(id),
      isKnown: id.includes("/") && !id.endsWith("*"),
    })),
  );
}

/** Whether everything is set that the provider of a model needs, as far as that can be seen. */
function isComplete(id: string, configuration: ProviderConfiguration): boolean {
  try {
    providerSettings(id, configuration);
    return true;
  } catch (error) {
    if (error instanceof TeamError) return false;
    throw error;
  }
}

async function tableIds(
  providers: ProviderDefinitions,
  names: Iterable<string>,
): Promise<string[]> {
  const ids = ["rehearsal"];
  for (const name of names) {
    const table = providers[name]?.family ?? name;
    if (!tableProviders.includes(table)) continue;
    ids.push(...Object.keys(await loadTable(table)).map((model) => `${name}/${model}`));
  }
  return ids;
}
