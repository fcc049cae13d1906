import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { modelFacts } from "../../src/model/model-facts.ts";
import { costOf } from "../../src/model/prices.ts";

const page = readFileSync("docs/how-to/control-costs.md", "utf8");
const rows = [...page.matchAll(/^\| `(.+?)` \| \$([\d.]+) \| \$([\d.]+) \|$/gm)];
const requests = 60;
const written = { output_tokens: 500, cache_write_tokens: 0, cache_read_tokens: 0 };

test("the page about costs has models of all three providers", () => {
  const providers = rows.map(([, id = ""]) => id.split("/")[0]);

  expect(new Set(providers)).toEqual(new Set(["anthropic", "openai", "google"]));
});

test.each(rows)("the example of what a team costs follows from the prices: %s", async (...row) => {
  const [, id = "", cached, uncached] = row;
  const { price } = await modelFacts(id);
  if (!price) throw new Error(`${id} has no price`);

  const found = {
    ...written,
    input_tokens: 0,
    cache_write_tokens: 1_200,
    cache_read_tokens: 22_800,
  };
  expect((requests * costOf(found, price)).toFixed(2)).toBe(cached);
  const missed = { ...written, input_tokens: 24_000 };
  expect((requests * costOf(missed, price)).toFixed(2)).toBe(uncached);
});
