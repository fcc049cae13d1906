import type { MemberName } from "../../protocol/ids.ts";
import type { Member } from "../../protocol/team.ts";
import type { TeamObserver } from "../../team/team-observer.ts";
import { type Command, lookOptions } from "../command.ts";
import { nothing } from "../member-usage.ts";
import { jsonText } from "../render/json-text.ts";
import { type MemberState, teamLines } from "../render/team-lines.ts";

export const team: Command = {
  name: "team",
  group: "look",
  summary: "Who is in the team, and what each of them is doing",
  parameters: [],
  options: lookOptions,
  examples: [
    { call: "troupe team", does: "status, model, mode, tokens, cost and unread mail of everybody" },
    {
      call: "troupe team --json | jq -r '.members[] | select(.status==\"working\").name'",
      does: "the names of those who work, for a script",
    },
  ],

  async run({ json, teamDir }, io) {
    const observer = await io.observeTeam(teamDir);
    const lead = await observer.lead();
    const usage = await observer.usage();
    const members = await Promise.all(
      observer.team.members.map((member) =>
        readState(observer, member, usage.get(member.name) ?? nothing),
      ),
    );

    if (json) {
      const running = lead ? { pid: lead.pid, host: lead.host } : null;
      const states = members.map(({ member, ...state }) => ({ ...member, ...state }));
      io.out(jsonText({ ...observer.team, members: states, running }, 2));
      return 0;
    }
    const isRunning = lead !== undefined;
    for (const line of teamLines({ ...observer.team, members, isRunning })) io.out(line);
    return 0;
  },
};

async function readState(
  observer: TeamObserver,
  member: Member,
  usage: MemberState["usage"],
): Promise<MemberState> {
  const { name } = member;
  return {
    member,
    since: await lastTurningPoint(observer, name),
    usage,
    unread: await countUnread(observer, name),
  };
}

/** When its last run began or ended; null where that is too far back to look for. */
async function lastTurningPoint(observer: TeamObserver, name: MemberName): Promise<string | null> {
  let looks = 0;
  for await (const { type, at } of observer.transcript(name).newestFirst()) {
    if (type === "run-start" || type === "run-end") return at;
    if (++looks === maxLooks) break;
  }
  return null;
}

const maxLooks = 500;

async function countUnread(observer: TeamObserver, name: MemberName): Promise<number> {
  let unread = 0;
  let settled = 0;
  for await (const { state } of observer.mail(name)) {
    if (state === "queued") unread++;
    // What is behind so much settled mail is settled too.
    else if (++settled === maxSettled) break;
  }
  return unread;
}

const maxSettled = 20;
