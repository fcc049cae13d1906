import { type Command, lookOptions } from "../command.ts";
import { readUsage, sumUsage } from "../member-usage.ts";
import { costLines } from "../render/cost-lines.ts";
import { jsonText } from "../render/json-text.ts";

export const cost: Command = {
  name: "cost",
  group: "look",
  summary: "Show what each member's model calls used and cost, and how full its context is",
  parameters: [],
  options: lookOptions,
  examples: [
    { call: "troupe cost", does: "tokens, cost and context per member and in total" },
    { call: "troupe cost --json | jq .total.cost_usd", does: "the cost alone, for a script" },
  ],
  notes: [
    "Tokens read from and written to the provider's cache are counted separately from other input.",
    "Models without a known price are marked as such, and their calls are not in the cost.",
  ],

  async run({ json, teamDir }, io) {
    const members = await readUsage(await io.viewTeam(teamDir));
    const total = sumUsage(members);

    if (json) io.out(jsonText({ members, total }, 2));
    else for (const line of costLines(members, total)) io.out(line);
    return 0;
  },
};
