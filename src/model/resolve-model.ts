import { TeamError } from "../errors.ts";
import { closest } from "../lib/nearest.ts";
import { builtInProviders } from "./built-in-providers.ts";
import { suitableModels } from "./default-model.ts";
import { assumptions, loadTable, type ModelFacts, tableProviders } from "./model-facts.ts";
import type { ModelFailure } from "./model-failure.ts";
import { checkedModelIds } from "./model-list.ts";
import { checkModel, hasProvider } from "./models.ts";
import { checkModelName, type ProviderConfiguration } from "./provider-settings.ts";

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
    if (hasProvider(whole)) checkModelName(whole, configuration);
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    const hint = [error.hint, await similarModels(id)].filter(Boolean).join(" ");
    throw new TeamError(error.code, error.message, { cause: error, hint });
  }
  checkModel(whole, configuration);
  return whole;
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

/** The failure; where the model is unknown to its provider, with names of others. */
export async function withSimilarModels(id: string, failure: ModelFailure): Promise<ModelFailure> {
  if (failure.kind !== "unknown-model") return failure;
  return { ...failure, hint: [failure.hint, await similarModels(id)].filter(Boolean).join(" ") };
}

/** Names models of the table that a person may have meant by `id`, or else one that works. */
export async function similarModels(id: string): Promise<string> {
  const slash = id.indexOf("/");
  const provider = id.slice(0, Math.max(slash, 0));
  if (provider === "ollama" || id === "ollama") return pulledModels;
  if (provider === "azure") return deployments;
  if (Object.hasOwn(builtInProviders, provider) && !tableProviders.includes(provider)) {
    return servedModels;
  }
  const named = tableProviders.filter((name) => name === provider);
  const similar = await knownNames(id, named.length > 0 ? named : tableNames);
  if (similar !== undefined) return similar;
  const suitable = tableNames.filter((name) => named.length === 0 || name === provider);
  if (suitable.length === 0) return `\`troupe models ${provider}\` lists the known ones.`;
  return `Models that work: ${suitable.map((name) => suitableModels[name]).join(", ")}.`;
}

/** Those of these providers' models that a person may have meant by `id`. */
async function knownNames(id: string, providers: readonly string[]): Promise<string | undefined> {
  const ids: string[] = [];
  for (const each of providers) {
    const models = Object.keys(await loadTable(each));
    ids.push(...models.map((model) => `${each}/${model}`));
  }
  const others = ids.filter((each) => each !== id);
  const similar = similarNames(id.slice(id.indexOf("/") + 1), others);
  return similar.length > 0 ? `Known models with similar names: ${similar.join(", ")}.` : undefined;
}

/**
 * What is assumed of a model whose limits are not known, for the person; undefined for others. If its
 * name may be a slip, also what may be meant.
 */
export async function toldAssumptions(
  id: string,
  facts: ModelFacts,
  wanted?: number,
): Promise<string | undefined> {
  const assumed = assumptions(id, facts, wanted);
  const isUnknown = Object.values(facts).every((fact) => fact === undefined);
  const provider = id.slice(0, id.indexOf("/"));
  // On Azure, names are the person's own.
  const hasTable = tableProviders.includes(provider) && provider !== "azure";
  if (assumed === undefined || !isUnknown || !hasTable) return assumed;
  return [assumed, await knownNames(id, [provider])].filter(Boolean).join(" ");
}

/** Of a server of one's own nothing is known here. */
const servedModels = "With TROUPE_MODEL set to it, `troupe doctor` names the models of the server.";

const deployments = "On Azure, a model has the name that you gave its deployment.";

const pulledModels =
  "Every model that was pulled can be used by its name: `ollama list` shows them, `ollama pull <model>` gets another.";

/** Up to three: those that begin with `word`, the defaults and newest first; else the newest of its family; else the closest. */
function similarNames(word: string, ids: readonly string[]): string[] {
  const nameOf = (id: string) => id.slice(id.indexOf("/") + 1);
  const begun = ids.filter((id) => word !== "" && nameOf(id).startsWith(word));
  if (begun.length > 0) {
    const defaults: readonly string[] = Object.values(suitableModels);
    // By `gpt-6`, `gpt-6-sol` is meant rather than `gpt-6.1-sol`.
    const isWholeWord = (id: string) => !/^[.\d]/.test(nameOf(id).slice(word.length));
    const rank = (id: string) => Number(isWholeWord(id)) * 2 + Number(defaults.includes(id));
    const newest = (a: string, b: string) => compareVersions(nameOf(b), nameOf(a));
    return begun.sort((a, b) => rank(b) - rank(a) || newest(a, b)).slice(0, 3);
  }
  const family = lettersOf(word);
  const related = ids.filter((id) => {
    const letters = lettersOf(nameOf(id));
    return family.length > 0 && family.every((part) => letters.includes(part));
  });
  if (related.length === 0) return closest(word, ids, nameOf);
  return related.sort((a, b) => compareVersions(nameOf(b), nameOf(a))).slice(0, 3);
}

/** The parts of a name that are no version: `claude` and `opus` of `claude-opus-5-5`. */
function lettersOf(name: string): string[] {
  return name.toLowerCase().match(/[a-z]{2,}/g) ?? [];
}

function compareVersions(a: string, b: string): number {
  const [first, second] = [a, b].map((name) => (name.match(/\d+/g) ?? []).map(Number));
  for (let i = 0; i < 4; i++) {
    const difference = (first?.[i] ?? -1) - (second?.[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}
