import type { MemberName } from "../../protocol/ids.ts";
import { entriesNewestFirst } from "../../team/view/read-pages.ts";
import type { TeamView } from "../../team/view/team-view.ts";
import { type Command, lookOptions } from "../command.ts";
import { nothing } from "../member-usage.ts";
import { jsonText } from "../render/json-text.ts";
import { teamLines } from "../render/team-lines.ts";

export const team: Command = {
  name: "team",
  group: "look",
  summary: "Show the members of the team and what each is doing",
  parameters: [],
  options: lookOptions,
  examples: [
    {
      call: "troupe team",
      does: "status, model, mode, tokens, cost and unread mail of every member",
    },
    {
      call: "troupe team --json | jq -r '.members[] | select(.status==\"working\").name'",
      does: "the names of the working members, for a script",
    },
  ],

  async run({ json, teamDir }, io) {
    const view = await io.viewTeam(teamDir);
    const record = await view.team();
    const lead = await view.lead();
    const usage = await view.usage();
    const members = await Promise.all(
      record.members.map(async (member) => {
        const { model: _, ...total } = usage.get(member.name) ?? { ...nothing, model: null };
        const { name } = member;
        const since = await lastTurningPoint(view, name);
        return { member, since, usage: total, unread: await view.unread(name) };
      }),
    );

    if (json) {
      const running = lead ? { pid: lead.pid, host: lead.host } : null;
      const states = members.map(({ member, ...state }) => ({ ...member, ...state }));
      io.out(jsonText({ ...record, members: states, running }, 2));
    } else {
      const isRunning = lead !== undefined;
      for (const line of teamLines({ ...record, members, isRunning })) io.out(line);
    }
    return 0;
  },
};

/** When its last run began or ended; null if that is too far back. */
async function lastTurningPoint(view: TeamView, name: MemberName): Promise<string | null> {
  let looks = 0;
  for await (const { type, at } of entriesNewestFirst(view, name)) {
    if (type === "run-start" || type === "run-end") return at;
    if (++looks === maxLooks) break;
  }
  return null;
}

const maxLooks = 500;
