import { resolve } from "node:path";
import { tableDate, tableSource } from "../../model/known-models/origin.ts";
import type { ListedModel } from "../../model/list-models.ts";
import type { ModelPrice } from "../../model/prices.ts";
import { similarModels } from "../../model/resolve-model.ts";
import { shortCount } from "../../protocol/amounts.ts";
import { listModels } from "../../team/list-models.ts";
import type { Command } from "../command.ts";
import { table } from "../render/columns.ts";
import { jsonText } from "../render/json-text.ts";
import { oneLine } from "../render/one-line.ts";
import { modelsIn, providersIn, readConfiguration } from "../settings/configuration.ts";
import { environmentWith } from "../settings/env-file.ts";
import { placeOptions } from "../settings/flags.ts";

export const models: Command = {
  name: "models",
  group: "set up",
  summary: "List or search the known models, with their limits, prices and abilities",
  parameters: ["[<search>]"],
  options: { ...placeOptions, json: { summary: "print JSON" } },
  examples: [
    {
      call: "troupe models",
      does: "the models of providers whose key is set; all models if no key is set",
    },
    {
      call: "troupe models sonnet",
      does: "models with sonnet in their name; several words must all match",
    },
    { call: "troupe models gpt-6 --json | jq '.models[].id'", does: "the ids alone, for a script" },
  ],
  notes: [
    "All of them support tools. You can also use other models: name one with --model <provider>/<model>, and describe it under models in your settings.",
    "The window is the number of tokens that a conversation can fill: it ends where the price for long requests begins. Reply is how long one reply may be.",
    "Prices are dollars per million tokens. + marks a price that is higher for long requests: --json has all prices.",
    "* marks a model that is ready to use: the key and all other variables that its provider needs are set.",
  ],

  async run({ positionals: [search = ""], values, json }, io) {
    const { cwd = ".", "env-file": envFile } = values;
    const { processInfo } = io;
    const file = envFile === undefined ? undefined : String(envFile);
    const env = await environmentWith(file, processInfo);
    const workspace = resolve(processInfo.cwd, String(cwd));
    const configuration = await readConfiguration(workspace, processInfo);
    const own = { models: modelsIn(configuration), providers: providersIn(configuration) };
    const all = await listModels({ env, ...own });
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length > 0 ? all.filter(({ id }) => hasAll(id, words)) : usable(all);
    if (json) {
      const date = { table_date: tableDate, table_source: tableSource };
      io.out(jsonText({ ...date, models: found.map(asJson) }, 2));
    } else {
      for (const line of asLines(found, all.length)) io.out(line);
      if (found.length === 0)
        io.out(`None of ${all.length} models. ${await similarModels(search)}`.trim());
    }
    return found.length > 0 ? 0 : 1;
  },
};

function hasAll(id: string, words: readonly string[]): boolean {
  return words.every((word) => id.toLowerCase().includes(word));
}

/** The models that could be used at once; all if there are none but those that need no key. */
function usable(all: readonly ListedModel[]): readonly ListedModel[] {
  const ready = all.filter(({ isReady }) => isReady);
  return ready.some(({ isKnown }) => isKnown) ? ready : all;
}

const heading = ["", "model", "window", "reply", "input", "output", "cached", "abilities"];

function asLines(found: readonly ListedModel[], total: number): string[] {
  if (found.length === 0) return [];
  const rows = found.map((model) => [
    model.isReady ? "*" : "",
    oneLine(model.id, nameWidth),
    tokens(model.facts.contextWindow),
    tokens(model.facts.maxOutput),
    ...prices(model.facts.price),
    abilities(model),
  ]);
  return [
    ...table([heading, ...rows], (column) => column > 1 && column < heading.length - 1),
    "",
    `${found.length} of ${total} models, as of ${tableDate} (${tableSource}). * marks models that are ready to use.`,
  ];
}

const nameWidth = 60;

function tokens(count: number | undefined): string {
  return count === undefined ? "?" : shortCount(count);
}

function prices(price: ModelPrice | undefined): string[] {
  if (!price) return ["?", "?", ""];
  const { input, output, cacheRead, long } = price;
  const mark = long ? "+" : "";
  return [`$${input}${mark}`, `$${output}${mark}`, cacheRead === undefined ? "" : `$${cacheRead}`];
}

function abilities({ facts: { images, reasoning }, efforts = [] }: ListedModel): string {
  const levels = efforts.length > 0 ? `thinks (${efforts.join(" ")})` : "thinks";
  return [images ? "images" : "", reasoning ? levels : ""].filter(Boolean).join(", ");
}

function asJson({ id, isReady, facts, efforts }: ListedModel) {
  const { contextWindow, maxOutput, price, images, reasoning } = facts;
  return {
    id,
    is_ready: isReady,
    context_window: contextWindow ?? null,
    max_output: maxOutput ?? null,
    price: price ? priceJson(price) : null,
    images: images ?? null,
    reasoning: reasoning ?? null,
    efforts: efforts ?? null,
  };
}

function priceJson({ long, ...usual }: ModelPrice) {
  return { ...rates(usual), long: long ? { above: long.above, ...rates(long) } : null };
}

function rates({ input, output, cacheRead, cacheWrite }: Omit<ModelPrice, "long">) {
  return { input, output, cache_read: cacheRead ?? null, cache_write: cacheWrite ?? null };
}
