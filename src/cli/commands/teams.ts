import { describeTeam } from "../../team/describe-team.ts";
import type { TeamDescription } from "../../team/view/archived-team.ts";
import { type Command, lookOptions } from "../command.ts";
import { teamsLines } from "../past-teams.ts";
import { jsonText } from "../render/json-text.ts";

export const teams: Command = {
  name: "teams",
  group: "look",
  summary: "List the present team and the archived ones, with their first prompts",
  parameters: [],
  options: lookOptions,
  examples: [
    { call: "troupe teams", does: "each with its members and cost, and the number to resume it" },
    {
      call: "troupe teams --json | jq -r '.archived[].first_prompt'",
      does: "what the archived teams were first asked",
    },
  ],

  async run({ json, teamDir }, io) {
    const view = await io.viewTeam(teamDir);
    const present = await describeTeam(view);
    const archived = await view.archives();
    if (!json) {
      for (const line of teamsLines({ present, archived }, "troupe resume")) io.out(line);
      return 0;
    }
    const listed = archived.map(({ name, archivedAt, ...team }, index) => ({
      ...{ number: index + 1, name, archived_at: archivedAt, ...asJson(team) },
    }));
    io.out(jsonText({ present: present ? asJson(present) : null, archived: listed }, 2));
    return 0;
  },
};

function asJson({ startedAt, firstPrompt, members, costUsd, isOwn }: TeamDescription): object {
  return {
    ...{ started_at: startedAt ?? null, first_prompt: firstPrompt ?? null, members },
    ...{ cost_usd: costUsd, is_own: isOwn },
  };
}
