import { TeamError } from "../errors.ts";
import type { Effort } from "../protocol/effort.ts";
import {
  loadTable,
  type ModelFacts,
  modelFacts,
  type OwnFacts,
  tableProviders,
} from "./model-facts.ts";
import type { ProviderDefinitions } from "./provider-definitions.ts";
import {
  type EnvironmentVariables,
  type ProviderConfiguration,
  providerSettings,
  providerVariables,
} from "./provider-settings.ts";

/** A model of the list. */
export interface ListedModel {
  /** Such as `anthropic/claude-sonnet-5-5`, to be given as `model`. */
  readonly id: string;
  /** What is known of it: its limits, price and abilities. */
  readonly facts: ModelFacts;
  /** The efforts that it can be asked for; undefined if that is not known. */
  readonly efforts: readonly Effort[] | undefined;
  /** Whether its provider has what it needs: a key, or nothing. */
  readonly isReady: boolean;
  /** False for the rehearsal model, and for what a person has said of models by their beginning. */
  readonly isKnown: boolean;
}

/** Where the keys of providers are, and what is known beside the table. */
export interface ListModelsOptions extends OwnFacts {
  /** Has the keys and addresses of providers. */
  readonly env: EnvironmentVariables;
}

/** All models of the table, of the person's own providers and in the person's own entries. */
export async function allModels(options: ListModelsOptions): Promise<ListedModel[]> {
  const { env, models = {}, providers = {} } = options;
  const names = providerVariables(providers).map(({ name }) => name);
  const ready = new Set(names.filter((name) => isComplete(`${name}/any`, { env, providers })));
  const isReady = (id: string) => id === "rehearsal" || ready.has(id.split("/", 1)[0] ?? "");
  const ids = new Set([...(await tableIds(providers, names)), ...Object.keys(models)]);
  return Promise.all(
    [...ids].map(async (id) => {
      const isKnown = id.includes("/") && !id.endsWith("*");
      const facts: ModelFacts = id.endsWith("*")
        ? (models[id] ?? {})
        : await modelFacts(id, { models, providers });
      return {
        ...{ id, facts, isReady: isReady(id), isKnown },
        efforts: isKnown && facts.reasoning ? await effortsOf(id, providers) : undefined,
      };
    }),
  );
}

/** What its provider's code makes of them: a number of tokens too, or the most that there is. */
async function effortsOf(id: string, providers: ProviderDefinitions): Promise<readonly Effort[]> {
  const { thinkingOf } = await import("./open-model.ts");
  return (await thinkingOf(id, { providers }))?.efforts ?? [];
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
