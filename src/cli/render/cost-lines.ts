import { costText, shortCount } from "../../protocol/amounts.ts";
import type { UsageTotal } from "../../protocol/usage.ts";
import type { MemberUsageReport } from "../member-usage.ts";
import { table } from "./columns.ts";
import { oneLine } from "./one-line.ts";

const nameWidth = 24;
const heading = ["", "input", "output", "cached", "written", "cost", "context"];

/** The usage of a team: one line per member, and the total. */
export function costLines(members: readonly MemberUsageReport[], total: UsageTotal): string[] {
  const rows = members.map((member) => [
    oneLine(member.name, nameWidth),
    ...amounts(member),
    contextText(member),
  ]);
  const lines = table(
    [heading, ...rows, ["in all", ...amounts(total), ""]],
    (column) => column > 0,
  );
  if (total.unpriced_calls === 0) return lines;
  const models = new Set(
    members.flatMap(({ model, unpriced_calls }) => (model && unpriced_calls > 0 ? [model] : [])),
  );
  return [
    ...lines,
    "",
    `${total.unpriced_calls} of ${total.calls} calls have no known price and are not in the cost: ${oneLine([...models].join(", "), 200)}.`,
  ];
}

function amounts(total: UsageTotal): string[] {
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
