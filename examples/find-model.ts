/**
 * Finds models by what is known of them, and takes one of a server of one's own. Exits with 1 if the
 * list has not what it should.
 */
import assert from "node:assert/strict";
import { listModels, modelFacts } from "troupe";

const env = { ANTHROPIC_API_KEY: "none-is-needed" };
const models = {
  "openai-compatible/qwen4-coder": {
    contextWindow: 131_072,
    maxOutput: 32_768,
    price: { input: 0.1, output: 0.4 },
  },
};

const known = await listModels({ env, models });
const usable = known.filter(({ id, isReady }) => isReady && id !== "rehearsal");
const cheapest = usable
  .filter(({ facts, efforts }) => facts.images && efforts?.includes("high"))
  .sort((a, b) => (a.facts.price?.output ?? 0) - (b.facts.price?.output ?? 0))[0];
console.log(`The cheapest that sees images and can think hard: ${cheapest?.id}`);

assert(usable.every(({ id }) => id.startsWith("anthropic/")));
assert(cheapest?.facts.price);
const own = known.find(({ id }) => id === "openai-compatible/qwen4-coder");
assert.equal(own?.facts.contextWindow, 131_072);
const { contextWindow } = await modelFacts("anthropic/claude-sonnet-5-5");
assert.equal(contextWindow, 1_000_000);
