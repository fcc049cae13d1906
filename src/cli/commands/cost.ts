import { type Command, lookOptions } from "../command.ts";
import { readUsage, sumUsage } from "../member-usage.ts";
import { costLines } from "../render/cost-lines.ts";
import { jsonText } from "../render/json-text.ts";

export const cost: Command = {
  name: "cost",
  group: "look",
  summary: "What every member's model calls have used and cost, and how full its context is",
  parameters: [],
  options: lookOptions,
  examples: [
    { call: "troupe cost", does: "tokens, dollars and context of each member and in all" },
    { call: "troupe cost --json | jq .total.cost_usd", does: "the dollars alone, for a script" },
  ],
  notes: [
    "Tokens that came from the provider's cache and those written to it are counted apart from other input.",
    "A model without a known price is said to have none: its calls are in no sum of dollars.",
  ],

  async run({ json, teamDir }, io) {
    const members = await readUsage(await io.viewTeam(teamDir));
    const total = sumUsage(members);

    if (json) io.out(jsonText({ members, total }, 2));
    else for (const line of costLines(members, total)) io.out(line);
    return 0;
  },
};
