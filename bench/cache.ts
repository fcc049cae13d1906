import { AnthropicCache } from "../src/testing/prompt-cache/anthropic-cache.ts";
import { OpenAiCache } from "../src/testing/prompt-cache/openai-cache.ts";
import { googleCache, olderOpenAiCache } from "../src/testing/prompt-cache/prefix-cache.ts";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import {
  afterSecondTurn,
  type Lifetimes,
  priceOf,
  relativeCost,
  shareRead,
  withLifetimes,
} from "./cache/figures.ts";
import { type PlayedRequest, phases, playTeam } from "./cache/play.ts";
import { openWorkbench } from "./cache/workbench.ts";
import { formatCount } from "./lib/format.ts";
import { publish } from "./lib/report.ts";

await using directory = await temporaryDirectory();
const workbench = await openWorkbench(directory.path);

const claude = "anthropic/claude-sonnet-5";
const providers = [
  { model: claude, cache: new AnthropicCache() },
  { model: "openai/gpt-6-sol", cache: new OpenAiCache() },
  { model: "openai/gpt-5.4", cache: olderOpenAiCache() },
  { model: "google/gemini-3.5-flash", cache: googleCache() },
];

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const least = 0.95;

const plays: { model: string; played: PlayedRequest[]; cost: number }[] = [];
for (const provider of providers) {
  const played = await playTeam(workbench, provider);
  const price = await priceOf(provider.model);
  const usages = played.map(({ usage }) => usage);
  plays.push({ model: provider.model, played, cost: relativeCost(usages, price) });
}

const rows = plays.map(({ model, played, cost }) => {
  const later = afterSecondTurn(played);
  const ofPhase = phases.map((phase) => shareRead(later.filter((each) => each.phase === phase)));
  return [model, ...ofPhase.map(percent), percent(cost)];
});

const [anthropic] = plays;
const price = await priceOf(claude);
const kinds: Lifetimes[] = ["five minutes", "as it is", "an hour"];
const lifetimeRows = kinds.map((kind) => [
  kind,
  ...[true, false].map((pauses) =>
    percent(relativeCost(withLifetimes(anthropic?.played ?? [], kind, { pauses }), price)),
  ),
]);

await publish({
  title: "Prompt caches",
  command: "npm run bench:cache",
  about:
    "A lead and four teammates read files and write to each other, against a server on loopback that speaks each provider's format and applies the published rules of its prompt cache to the requests it gets. The clock of the cache is set forward by the pauses. A token is 3.5 characters. Of Google's cache only the shortest length is published; that it forgets after five minutes is an assumption.",
  date: new Date(),
  sections: [
    {
      title: "Input read from the cache",
      about: `The share of the input tokens, in each part of the story, after each member's second request. The last column is what all input costs, compared with no cache. There were ${plays.map(({ played }) => formatCount(played.length)).join(", ")} requests.`,
      table: { head: ["model", ...phases, "cost of the input"], rows },
      targets: plays.map(({ model, played }) => {
        const share = shareRead(afterSecondTurn(played));
        return {
          what: `${model}: input read from the cache after the second turn`,
          figure: percent(share),
          target: "≥ 95 %",
          isMet: share >= least,
        };
      }),
    },
    {
      title: "For how long Anthropic keeps it",
      about:
        "What the input of the same requests costs, compared with no cache, by the life of what is cached: five minutes for everything; an hour for the tools and the lead, as it is; an hour for everything. With the two pauses of the story, and without.",
      table: { head: ["kept for", "with pauses", "without"], rows: lifetimeRows },
      targets: [],
    },
  ],
});
