import { TeamError } from "../errors.ts";
import { firstCharacters } from "../lib/cut-text.ts";
import { lead, user } from "../protocol/ids.ts";
import { reportUsage, type UsageReport } from "../protocol/usage.ts";
import { memberNames } from "./find-member.ts";
import type { TeamDescription } from "./view/archived-team.ts";
import { entriesOldestFirst } from "./view/read-pages.ts";
import type { ArchivedTeamView } from "./view/team-view.ts";

/** A team as a list of teams describes it; undefined where there is none. */
export async function describeTeam(view: ArchivedTeamView): Promise<TeamDescription | undefined> {
  const isOwn = await isOwnTeam(view);
  if (isOwn === undefined) return undefined;
  return {
    ...(await beginningOf(view)),
    members: memberNames(await view.team()),
    costUsd: costOf([...(await view.usage()).values()]),
    isOwn,
  };
}

/** Whether a team is the person's; undefined where there is none. */
export async function isOwnTeam(view: ArchivedTeamView): Promise<boolean | undefined> {
  try {
    return await view.isOwn();
  } catch (error) {
    if (error instanceof TeamError && error.code === "team-missing") return undefined;
    throw error;
  }
}

/** The first prompt is near the beginning: a compaction changes nothing before it. */
async function beginningOf(
  view: ArchivedTeamView,
): Promise<Pick<TeamDescription, "startedAt" | "firstPrompt">> {
  let startedAt: string | undefined;
  for await (const entry of entriesOldestFirst(view, lead)) {
    startedAt ??= entry.at;
    if (entry.type !== "delivery" || entry.message.from !== user) continue;
    return { startedAt, firstPrompt: firstCharacters(entry.message.content, promptCharacters) };
  }
  return { startedAt, firstPrompt: undefined };
}

const promptCharacters = 200;

function costOf(totals: readonly UsageReport[]): number | null {
  const cost_usd = totals.reduce((sum, total) => sum + (total.cost_usd ?? 0), 0);
  const unpriced_calls = totals.reduce((sum, total) => sum + total.unpriced_calls, 0);
  return reportUsage({ cost_usd, unpriced_calls }).cost_usd;
}
