import { z } from "zod";
import { modelIds } from "./model-list.ts";
import { ModelPrice } from "./prices.ts";
import type { ProviderDefinitions } from "./provider-definitions.ts";

/** The words of providers for how much a model thinks. `none` turns its thinking off. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
/** A word of a provider for how much a model thinks; `none` turns its thinking off. */
export type EffortLevel = (typeof efforts)[number];

/** What is known of a model. A fact that is missing is not known. */
export interface ModelFacts {
  /** How many tokens a request may have. */
  readonly contextWindow?: number | undefined;
  /** How many tokens a reply may have. */
  readonly maxOutput?: number | undefined;
  /** What its tokens cost, in US dollars. */
  readonly price?: ModelPrice | undefined;
  /** Whether it can be shown images. */
  readonly images?: boolean | undefined;
  /** Whether it can think before it answers. */
  readonly reasoning?: boolean | undefined;
  /**
   * The levels that the provider's own setting of effort takes. Missing if the model has no such
   * setting: its thinking, if it can think, is limited by a number of tokens.
   */
  readonly efforts?: readonly EffortLevel[] | undefined;
}

const tokens = z.int().positive();

/** What a person says about a model. What is missing is taken from the built-in table. */
export interface OwnModel {
  /** What it costs. */
  readonly price?: ModelPrice | undefined;
  /** How many tokens a request may have. */
  readonly contextWindow?: number | undefined;
  /** How many tokens a reply may have. */
  readonly maxOutput?: number | undefined;
}

/**
 * What a person says about models, by id, such as `openai/gpt-5`. A key may end in `*`, for all ids
 * that begin so; of several that fit, the longest counts.
 */
export type OwnModels = Readonly<Record<string, OwnModel>>;
export const OwnModels = z.record(
  z.string(),
  z.strictObject({
    price: ModelPrice.optional(),
    contextWindow: tokens.optional(),
    maxOutput: tokens.optional(),
  }),
) satisfies z.ZodType<OwnModels>;

/** What a person says about models and providers. */
export interface OwnFacts {
  /** Facts about models by id, which count instead of the known ones. */
  readonly models?: OwnModels | undefined;
  /** Providers by name, beside the built-in ones. */
  readonly providers?: ProviderDefinitions | undefined;
}

/** The context window of a model that nothing is known of: a size that nearly all models accept. */
export const assumedWindow = 128_000;

/** How many tokens a reply may have. */
export interface OutputLimits {
  readonly usual: number;
  /** For a reply that was cut short by the usual limit. */
  readonly raised: number;
}

/** `wanted` is the limit that a person has set, for any model. */
export function outputLimits({ maxOutput }: ModelFacts, wanted?: number): OutputLimits {
  const most = wanted ?? maxOutput ?? assumedOutput;
  const raised = Math.min(most, maxOutput ?? most);
  return { usual: wanted === undefined ? Math.min(raised, usualOutput) : raised, raised };
}

/** More than nearly all replies have: a provider may count the whole limit against the rate. */
export const usualOutput = 32_000;

/** For a model of which nothing is known: more might be refused. */
const assumedOutput = 8_000;

/** What is assumed of a model whose limits are not known, for the person; undefined for others. */
export function assumptions(id: string, facts: ModelFacts, wanted?: number): string | undefined {
  const { contextWindow, maxOutput, price } = facts;
  if (contextWindow !== undefined && maxOutput !== undefined) return undefined;
  const assumed = [
    ...(contextWindow === undefined ? [`a context window of ${assumedWindow} tokens`] : []),
    ...(maxOutput === undefined ? [`replies of up to ${outputLimits(facts, wanted).usual}`] : []),
    ...(price === undefined ? ["no price"] : []),
  ];
  const isDescribed = [contextWindow, maxOutput, price].some((fact) => fact !== undefined);
  return isDescribed
    ? `Your entry for ${id} under "models" leaves out what the table does not know either. Assumed are ${assumed.join(", ")}.`
    : `${id} is not in the table of models. Assumed are ${assumed.join(", ")}; what you know of it can be set under "models".`;
}

/**
 * What is known of the model `id`, from the person and from the table.
 *
 * `contextWindow` is the size to which a conversation may grow: it ends where the price for long
 * requests begins. From there on every token of a request costs twice as much or more (GPT-5.4 and
 * newer: above 272,000), and a summary costs less than one such request. A window that the person
 * has set is used as it is.
 */
export async function modelFacts(id: string, own: OwnFacts = {}): Promise<ModelFacts> {
  const known = await knownFacts(id, own.providers);
  const said = ownFacts(id, own.models);
  const price = said.price ?? known.price;
  const window =
    known.contextWindow && Math.min(known.contextWindow, price?.long?.above ?? Infinity);
  return {
    ...known,
    price,
    contextWindow: said.contextWindow ?? window,
    maxOutput: said.maxOutput ?? known.maxOutput,
  };
}

/** The context window that all models of a list have; undefined if one of them is not known. */
export async function sharedWindow(list: string, own: OwnFacts): Promise<number | undefined> {
  const facts = await Promise.all(modelIds(list).map((id) => modelFacts(id, own)));
  const windows = facts.flatMap(({ contextWindow }) => contextWindow ?? []);
  return windows.length < facts.length ? undefined : Math.min(...windows);
}

async function knownFacts(id: string, providers: ProviderDefinitions = {}): Promise<ModelFacts> {
  const slash = id.indexOf("/");
  const model = id.slice(slash + 1);
  const name = id.slice(0, Math.max(slash, 0));
  const defined = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const table = await loadTable(id === "rehearsal" ? id : (defined?.family ?? name));
  const facts = own(table, model) ?? own(table, withoutDate(model)) ?? {};
  if (defined?.baseUrl === undefined) return facts;
  // Another seller of the same model has prices of its own.
  const { price: _, ...rest } = facts;
  return rest;
}

function ownFacts(id: string, models: OwnModels = {}): OwnModels[string] {
  const fitting = Object.entries(models)
    .filter(([key]) => fits(key, id))
    .sort(([a], [b]) => rank(b) - rank(a))
    .map(([, facts]) => facts);
  const first = <Name extends keyof OwnModels[string]>(name: Name) =>
    fitting.find((facts) => facts[name] !== undefined)?.[name];
  return {
    price: first("price"),
    contextWindow: first("contextWindow"),
    maxOutput: first("maxOutput"),
  };
}

/** Facts by the provider's own name of the model. */
export type KnownModels = Readonly<Record<string, ModelFacts>>;

const rehearsal: KnownModels = {
  rehearsal: {
    price: { input: 0, output: 0 },
    contextWindow: assumedWindow,
    maxOutput: assumedOutput,
    images: false,
  },
};

/** Each table is loaded only when it is needed. */
const tables: Readonly<Record<string, () => Promise<KnownModels>>> = {
  rehearsal: async () => rehearsal,
  anthropic: async () => (await import("./known-models/anthropic.ts")).models,
  openai: async () => (await import("./known-models/openai.ts")).models,
  google: async () => (await import("./known-models/google.ts")).models,
  // The same models at the same prices, by the same names.
  azure: () => loadTable("openai"),
  vertex: async () => ({ ...(await loadTable("google")), ...(await loadTable("anthropic")) }),
  openrouter: async () => (await import("./known-models/openrouter.ts")).models,
  bedrock: async () => (await import("./known-models/bedrock.ts")).models,
};

/** The providers whose models are in the table. */
export const tableProviders: readonly string[] = Object.keys(tables).filter(
  (name) => name !== "rehearsal",
);

/** What is known of the models of a provider. */
export async function loadTable(provider: string): Promise<KnownModels> {
  const load = Object.hasOwn(tables, provider) ? tables[provider] : undefined;
  return load ? await load() : {};
}

function own(table: KnownModels, model: string): ModelFacts | undefined {
  return Object.hasOwn(table, model) ? table[model] : undefined;
}

function fits(key: string, id: string): boolean {
  return key.endsWith("*") ? id.startsWith(key.slice(0, -1)) : id === key;
}

function rank(key: string): number {
  return key.endsWith("*") ? key.length : Number.POSITIVE_INFINITY;
}

/**
 * A snapshot is its model. No other suffix is removed: a model with a longer name may cost many
 * times as much.
 */
function withoutDate(model: string): string {
  return model.replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "");
}
