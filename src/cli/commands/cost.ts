import { dirname, resolve } from "node:path";
import { costText, shortCount } from "../../protocol/amounts.ts";
import { reportUsage, type UsageReport, type UsageTotal } from "../../protocol/usage.ts";
import { type Command, lookOptions } from "../command.ts";
import type { MemberUsageReport } from "../member-usage.ts";
import { readUsage, sumUsage, unpricedModels } from "../member-usage.ts";
import { table } from "../render/columns.ts";
import { jsonText } from "../render/json-text.ts";
import { oneLine } from "../render/one-line.ts";
import { ownFactsFor } from "../settings/configuration.ts";

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
    "Models without a known price are marked as such, and their calls are not in the cost: --json has their number as unpriced_calls, and a cost_usd of null if no other call cost anything.",
  ],

  async run({ json, teamDir }, io) {
    const directory = resolve(io.processInfo.cwd, teamDir ?? ".team");
    const own = await ownFactsFor(dirname(directory), io.processInfo);
    const view = await io.viewTeam(teamDir);
    const members = await readUsage(view, own);
    const total = sumUsage(members);

    if (json) {
      io.out(jsonText({ members, total: reportUsage(total) }, 2));
    } else {
      for (const line of costLines(members, total)) io.out(line);
      if (total.unpriced_calls > 0) {
        const models = await unpricedModels(view);
        for (const line of ["", unpricedLine(total, models)]) io.out(line);
      }
    }
    return 0;
  },
};

const nameWidth = 24;
const heading = ["", "input", "output", "cached", "written", "cost", "context"];

/** The usage of a team: one line per member, and the total. */
function costLines(members: readonly MemberUsageReport[], total: UsageTotal): string[] {
  const rows = members.map((member) => [
    oneLine(member.name, nameWidth),
    ...amounts(member),
    contextText(member),
  ]);
  return table([heading, ...rows, ["in all", ...amounts(total), ""]], (column) => column > 0);
}

function unpricedLine({ unpriced_calls, calls }: UsageTotal, models: ReadonlySet<string>): string {
  const names = models.size > 0 ? `: ${oneLine([...models].join(", "), 200)}` : "";
  return `${unpriced_calls} of ${calls} calls had no known price and are not in the cost${names}.`;
}

function amounts(total: UsageReport): string[] {
  return [
    ...[
      total.input_tokens,
      total.output_tokens,
      total.cache_read_tokens,
      total.cache_write_tokens,
    ].map(shortCount),
    costText(total.cost_usd, total.unpriced_calls),
  ];
}

function contextText({ context_tokens, context_window }: MemberUsageReport): string {
  if (context_tokens === null) return "-";
  if (context_window === null) return shortCount(context_tokens);
  return `${Math.round((context_tokens / context_window) * 100)}%`;
}
