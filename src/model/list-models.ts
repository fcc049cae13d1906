import {
  loadTable,
  type ModelFacts,
  modelFacts,
  type OwnModels,
  tableProviders,
} from "./model-facts.ts";
import type { ProviderDefinitions } from "./provider-definitions.ts";
import { type ProviderConfiguration, providerVariables } from "./provider-settings.ts";

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
  const variables = new Map(providerVariables(providers).map((each) => [each.name, each]));
  const isReady = (id: string) => {
    const provider = variables.get(id.slice(0, Math.max(id.indexOf("/"), 0)));
    if (!provider) return id === "rehearsal";
    const needsNothing = !provider.needsKey && !provider.isPackage;
    return needsNothing || provider.keys.some((name) => env[name]?.trim());
  };
  const ids = new Set([...(await tableIds(providers, variables.keys())), ...Object.keys(models)]);
  return Promise.all(
    [...ids].map(async (id) => ({
      id,
      facts: id.endsWith("*") ? (models[id] ?? {}) : await modelFacts(id, { models, providers }),
      isReady: isReady(id),
      isKnown: id.includes("/") && !id.endsWith("*"),
    })),
  );
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
