import { AnthropicCache } from "../src/testing/prompt-cache/anthropic-cache.ts";
import { OpenAiCache } from "../src/testing/prompt-cache/openai-cache.ts";
import { googleCache, olderOpenAiCache } from "../src/testing/prompt-cache/prefix-cache.ts";
import type { PromptCache } from "../src/testing/prompt-cache/prompt-cache.ts";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import {
  afterSecondTurn,
  type Lifetimes,
  priceOf,
  relativeCost,
  shareRead,
  withCache,
  withLifetimes,
} from "./cache/figures.ts";
import { type PlayedRequest, phases, playTeam } from "./cache/play.ts";
import { openWorkbench } from "./cache/workbench.ts";
import { formatCount } from "./lib/format.ts";
import { publish } from "./lib/report.ts";

await using directory = await temporaryDirectory();
const workbench = await openWorkbench(directory.path);

const claude = "anthropic/claude-sonnet-5";
const older = "openai/gpt-5.4";
const providers = [
  { model: claude, makeCache: () => new AnthropicCache() },
  { model: "openai/gpt-6-sol", makeCache: () => new OpenAiCache() },
  { model: older, makeCache: () => olderOpenAiCache() },
  { model: "google/gemini-3.5-flash", makeCache: googleCache },
];

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const least = 0.95;

interface Play {
  readonly name: string;
  readonly played: PlayedRequest[];
  /** What would have been read if the cache never forgot anything. */
  readonly most: number;
  readonly cost: number;
}

async function judged(name: string, { model, makeCache, played }: Judged): Promise<Play> {
  const usages = played.map(({ usage }) => usage);
  const unforgotten = withCache(played, makeCache(), { forgets: false });
  return {
    ...{ name, played },
    most: shareRead(afterSecondTurn(unforgotten)),
    cost: relativeCost(usages, await priceOf(model)),
  };
}

interface Judged {
  readonly model: string;
  readonly played: PlayedRequest[];
  makeCache(): PromptCache;
}

const plays: Play[] = [];
const reported: Play[] = [];
for (const provider of providers) {
  const { model, makeCache } = provider;
  const played = await playTeam(workbench, { model, cache: makeCache() });
  plays.push(await judged(model, { ...provider, played }));
  if (model !== older) continue;
  const makeShortCache = () => olderOpenAiCache({ retainsNothing: true });
  const again = withCache(played, makeShortCache(), { forgets: true });
  const short = { model, makeCache: makeShortCache, played: again };
  reported.push(await judged(`${model}, zero data retention`, short));
}

const rows = [...plays, ...reported].map(({ name, played, most, cost }) => {
  const later = afterSecondTurn(played);
  const ofPhase = phases.map((phase) => shareRead(later.filter((each) => each.phase === phase)));
  return [name, ...[...ofPhase, shareRead(later), most, cost].map(percent)];
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
    "A lead and four teammates read files and write to each other, against a server on loopback that speaks each provider's format and applies the published rules of its prompt cache to the requests it gets. The clock of the cache is set forward by the pauses. A token is 3.5 characters. Of Google's cache the shortest length is published (4,096 tokens), and that it forgets within a day; that it forgets after five minutes is an assumption, and it promises no hit at all. OpenAI's models before GPT-5.6 keep a prefix for a day, but for organizations with zero data retention only for 5 to 10 minutes, of which 5 are counted.",
  date: new Date(),
  sections: [
    {
      title: "Input read from the cache",
      about: `The share of the input tokens, in each part of the story, after each member's second request. "All" is the share of the whole story, and "never forgets" that share if the cache forgot nothing: no more is possible with these requests and the provider's shortest length, so that a provider with less than 95 % there cannot meet the target: with Gemini the requests of less than 4,096 tokens are too many. The last column is what all input costs, compared with no cache. There were ${plays.map(({ played }) => formatCount(played.length)).join(", ")} requests.`,
      table: { head: ["model", ...phases, "all", "never forgets", "cost of the input"], rows },
      targets: plays.map(({ name, played }) => {
        const share = shareRead(afterSecondTurn(played));
        return {
          what: `${name}: input read from the cache after the second turn`,
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
