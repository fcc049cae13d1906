import { type OwnFacts, sharedWindow } from "../model/model-facts.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { TeamRecord } from "../protocol/team.ts";
import { totalTokens, type UsageReport, type UsageTotal } from "../protocol/usage.ts";
import { memberNames } from "../team/find-member.ts";
import { entriesNewestFirst } from "../team/view/read-pages.ts";
import type { TeamView } from "../team/view/team-view.ts";

/** The usage of a member, and how full its context is. */
export interface MemberUsageReport extends UsageReport {
  name: MemberName;
  model: string | null;
  /** The tokens of its last request and reply; null if there was none since its last summary. */
  context_tokens: number | null;
  /** Null if the model's context window is not known. */
  context_window: number | null;
}

/** The usage of every member, the lead first and former members last. `own` is what the person says of models. */
export async function readUsage(view: TeamView, own: OwnFacts): Promise<MemberUsageReport[]> {
  const team = await view.team();
  const totals = await view.usage();
  const names = new Set([...memberNames(team), ...totals.keys()]);
  return Promise.all(
    [...names].map(async (name) => {
      const { model, tokens } = await readContext(view, team, name);
      const window = model === null ? undefined : await sharedWindow(model, own);
      const context = { context_tokens: tokens, context_window: window ?? null };
      return { name, ...(totals.get(name) ?? nothing), model, ...context };
    }),
  );
}

export const nothing: UsageTotal = {
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost_usd: 0,
  unpriced_calls: 0,
};

export function sumUsage(all: readonly UsageReport[]): UsageTotal {
  return all.reduce<UsageTotal>(
    (sum, each) => ({
      calls: sum.calls + each.calls,
      input_tokens: sum.input_tokens + each.input_tokens,
      output_tokens: sum.output_tokens + each.output_tokens,
      cache_read_tokens: sum.cache_read_tokens + each.cache_read_tokens,
      cache_write_tokens: sum.cache_write_tokens + each.cache_write_tokens,
      cost_usd: sum.cost_usd + (each.cost_usd ?? 0),
      unpriced_calls: sum.unpriced_calls + each.unpriced_calls,
    }),
    nothing,
  );
}

const pageSize = 2_000;

/**
 * The models of the calls that had no known price when they were made, as far back as single calls
 * are kept.
 */
export async function unpricedModels(view: Pick<TeamView, "usageLines">): Promise<Set<string>> {
  const models = new Set<string>();
  let page = await view.usageLines({ limit: pageSize });
  while (page.lines.length > 0) {
    for (const line of page.lines) {
      if (line.type === "call" && line.cost_usd === undefined) models.add(line.model);
    }
    page = await view.usageLines({ after: page.after, limit: pageSize });
  }
  return models;
}

/** Reads only the newest part of the transcript: a profile follows each summary. */
async function readContext(
  view: TeamView,
  { members }: TeamRecord,
  name: MemberName,
): Promise<{ model: string | null; tokens: number | null }> {
  let tokens: number | null = null;
  let model: string | null = members.find((it) => it.name === name)?.model ?? null;
  for await (const entry of entriesNewestFirst(view, name)) {
    if (entry.type === "reply" && entry.usage) tokens ??= totalTokens(entry.usage);
    if (entry.type === "profile") model ??= entry.model;
    if (entry.type === "compaction" || (tokens !== null && model !== null)) break;
  }
  return { model, tokens };
}
