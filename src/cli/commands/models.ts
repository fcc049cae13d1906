import { resolve } from "node:path";
import { tableDate, tableSource } from "../../model/known-models/origin.ts";
import { type ListedModel, listModels } from "../../model/list-models.ts";
import type { ModelPrice } from "../../model/prices.ts";
import { similarModels } from "../../model/resolve-model.ts";
import { shortCount } from "../../protocol/amounts.ts";
import { Effort } from "../../protocol/effort.ts";
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
  summary: "List and search the models that are known, with their limits, prices and abilities",
  parameters: ["[<search>]"],
  options: { ...placeOptions, json: { summary: "print JSON" } },
  examples: [
    { call: "troupe models", does: "models of providers whose key is set, or of all without any" },
    { call: "troupe models sonnet", does: "all with sonnet in their name; of several words, all" },
    { call: "troupe models gpt-6 --json | jq '.models[].id'", does: "the ids alone, for a script" },
  ],
  notes: [
    "All of them take tools. Others can be used as well: --model <provider>/<model>, with what you know of them under models in your settings.",
    "The window is the number of tokens that a conversation can fill: it ends where the price for long requests begins. Reply is how long one reply may be.",
    "Prices are dollars per million tokens. + marks a price that is higher for long requests: --json has all prices.",
    "* marks a model whose provider has what it needs: the key and all other variables that must be set.",
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
  const rows = found.map(({ id, isReady, facts }) => [
    isReady ? "*" : "",
    oneLine(id, nameWidth),
    tokens(facts.contextWindow),
    tokens(facts.maxOutput),
    ...prices(facts.price),
    abilities(facts),
  ]);
  return [
    ...table([heading, ...rows], (column) => column > 1 && column < heading.length - 1),
    "",
    `${found.length} of ${total} models, as of ${tableDate} (${tableSource}). * its provider has what it needs.`,
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

function abilities({ images, reasoning, efforts }: ListedModel["facts"]): string {
  const levels = efforts ? `thinks (${askedFor(efforts).join(" ")})` : "thinks";
  return [images ? "images" : "", reasoning ? levels : ""].filter(Boolean).join(", ");
}

/** The efforts that can be asked for: `max` is the most of a model, whatever its provider calls it. */
function askedFor(efforts: NonNullable<ListedModel["facts"]["efforts"]>): Effort[] {
  return Effort.options.filter(
    (effort) => efforts.includes(effort) || (effort === "max" && efforts.includes("xhigh")),
  );
}

function asJson({ id, isReady, facts }: ListedModel) {
  const { contextWindow, maxOutput, price, images, reasoning, efforts } = facts;
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
