import { answeringModel } from "../../model/model-list.ts";
import { costText, shortCount } from "../../protocol/amounts.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { MemberRecord } from "../../protocol/team.ts";
import { reportUsage, totalTokens, type UsageTotal } from "../../protocol/usage.ts";
import { entriesNewestFirst } from "../../team/view/read-pages.ts";
import type { TeamView } from "../../team/view/team-view.ts";
import { type Command, lookOptions } from "../command.ts";
import { nothing } from "../member-usage.ts";
import { screenWidth, table } from "../render/columns.ts";
import { jsonText } from "../render/json-text.ts";
import { localTime } from "../render/local-time.ts";
import { oneLine } from "../render/one-line.ts";

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
        const { model, ...total } = usage.get(member.name) ?? { ...nothing, model: null };
        const { name } = member;
        const since = await lastTurningPoint(view, name);
        const answeredBy = member.model ? answeringModel(member.model, model) : "";
        return { member, answeredBy, since, usage: total, unread: await view.unread(name) };
      }),
    );

    if (json) {
      const running = lead ? { pid: lead.pid, host: lead.host } : null;
      const states = members.map(({ member, answeredBy, usage: total, ...state }) => ({
        ...{ ...member, answered_by: answeredBy, ...state },
        usage: reportUsage(total),
      }));
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

interface ListedMember {
  member: MemberRecord;
  /** The one of its models that answers. */
  answeredBy: string;
  /** When its current status began. */
  since: string | null;
  usage: UsageTotal;
  unread: number;
}

interface ListedTeam {
  team_name: string;
  members: readonly ListedMember[];
  isRunning: boolean;
}

const detailIndent = 4;
const leastRoom = 7;

/** A team for a person: per member a line, and details below it in columns. */
function teamLines({ team_name, members, isRunning }: ListedTeam): string[] {
  const details = detailLines(members);
  return [
    `Team: ${oneLine(team_name, 70)}`,
    ...(members.length === 0 ? ["No teammates."] : []),
    ...members.flatMap(({ member }, index) => [
      memberLine(member, isRunning),
      ...[details[index] ?? ""].filter((line) => line.trim() !== ""),
    ]),
  ];
}

function memberLine({ name, role, status, detail }: MemberRecord, isRunning: boolean): string {
  const who = `  ${name} (${oneLine(role, 30)}): ${status}`;
  const aside = !isRunning && status !== "shutdown" ? ", not running" : "";
  const room = Math.max(screenWidth - who.length - aside.length - 2, leastRoom);
  return `${who}${detail ? `, ${oneLine(detail, room)}` : ""}${aside}`;
}

/** The model gets the space that the other columns leave. */
function detailLines(members: readonly ListedMember[]): string[] {
  const others = table(members.map(detailCells), (column) => column === 1 || column === 2);
  const width = Math.max(0, ...others.map((line) => line.length));
  const room = Math.max(screenWidth - detailIndent - width - 2, leastRoom);
  const rows = members.map(({ answeredBy }, index) => [
    shortModel(answeredBy, room),
    others[index] ?? "",
  ]);
  return table(rows, () => false).map((line) => " ".repeat(detailIndent) + line);
}

/** Without its provider if the model's name would be cut otherwise. */
function shortModel(model: string, room: number): string {
  const name = model.length > room ? model.slice(model.lastIndexOf("/") + 1) : model;
  return oneLine(name, room);
}

function detailCells({ member, since, usage, unread }: ListedMember): string[] {
  const hasCalled = usage.calls > 0;
  const began = since ?? member.spawned_at;
  return [
    member.permission_mode ?? "",
    hasCalled ? `${shortCount(totalTokens(usage))} tok` : "",
    hasCalled ? costText(usage.cost_usd, usage.unpriced_calls) : "",
    unread > 0 ? `${unread} unread` : "",
    // Without the year and the seconds.
    began ? `since ${localTime(new Date(began)).slice(5, 16)}` : "",
  ];
}
