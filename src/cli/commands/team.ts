import { type Activity, afterEvent, noActivity } from "../../lib/activity.ts";
import { answeringModel } from "../../model/model-list.ts";
import { costText, shortCount } from "../../protocol/amounts.ts";
import type { MemberName } from "../../protocol/ids.ts";
import { roleText } from "../../protocol/role-text.ts";
import type { MemberRecord } from "../../protocol/team.ts";
import { totalTokens, type UsageReport } from "../../protocol/usage.ts";
import type { MemberMode } from "../../team/protocols/member-modes.ts";
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
    const modes = new Map((await view.modes()).map((mode) => [mode.member, mode]));
    const activities = lead ? await activitiesOf(view) : new Map<string, Activity>();
    const list = async (member: Listed): Promise<ListedMember> => {
      const { name } = member;
      const { model, ...total } = usage.get(name) ?? { ...nothing, model: null };
      return {
        member,
        answeredBy: member.model ? answeringModel(member.model, model) : (model ?? ""),
        mode: modes.get(name),
        doing: doingText(activities.get(name)),
        since: await lastTurningPoint(view, name),
        usage: total,
        unread: await view.unread(name),
      };
    };
    const members = await Promise.all(record.members.map(list));

    if (json) {
      const running = lead ? { pid: lead.pid, host: lead.host } : null;
      const states = members.map(({ member, answeredBy, usage: total, mode, ...state }) => ({
        ...{ ...member, answered_by: answeredBy, ...state },
        ...(mode && { permission_mode: mode.mode }),
        usage: total,
      }));
      io.out(jsonText({ ...record, members: states, running }, 2));
    } else {
      const status = activities.get(record.lead)?.isRunning ? "working" : "idle";
      const listed = [await list({ name: record.lead, status }), ...members];
      const isRunning = lead !== undefined;
      for (const line of teamLines({ ...record, members: listed, isRunning })) io.out(line);
    }
    return 0;
  },
};

/** What everybody has done lately, as far as the events say. */
async function activitiesOf(view: TeamView): Promise<Map<string, Activity>> {
  const activities = new Map<string, Activity>();
  for (const { event } of await view.recentEvents(recentEvents)) {
    const { member } = event;
    if (member === undefined) continue;
    activities.set(member, afterEvent(activities.get(member) ?? noActivity, event));
  }
  return activities;
}

function doingText({ doing, waitsFor }: Activity = noActivity): string {
  if (waitsFor !== null) return `waits for ${waitsFor}`;
  return doing ? [doing.tool, doing.text].filter(Boolean).join(" ") : "";
}

const recentEvents = 2_000;

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

/** A teammate, or the lead, which has no record in the roster. */
type Listed = Pick<MemberRecord, "name" | "status"> & Partial<MemberRecord>;

interface ListedMember {
  member: Listed;
  /** The one of its models that answers. */
  answeredBy: string;
  /** Its permission mode, where that is known. */
  mode: MemberMode | undefined;
  /** What it does at this moment. */
  doing: string;
  /** When its current status began. */
  since: string | null;
  usage: UsageReport;
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
    ...members.flatMap((listed, index) => [
      memberLine(listed, isRunning),
      ...[details[index] ?? ""].filter((line) => line.trim() !== ""),
    ]),
    // The lead is no teammate.
    ...(members.length === 1 ? ["No teammates."] : []),
  ];
}

function memberLine({ member, doing }: ListedMember, isRunning: boolean): string {
  const { name, role: words, agent, status, detail = status === "working" ? doing : "" } = member;
  const role = words === undefined ? undefined : roleText({ role: words, agent });
  const who = `  ${name}${role === undefined ? "" : ` (${oneLine(role, 30)})`}: ${status}`;
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

function detailCells({ member, mode, since, usage, unread }: ListedMember): string[] {
  const hasCalled = usage.calls > 0;
  const began = since ?? member.spawned_at;
  return [
    mode?.mode ?? member.permission_mode ?? "",
    hasCalled ? `${shortCount(totalTokens(usage))} tok` : "",
    hasCalled ? costText(usage.cost_usd, usage.unpriced_calls) : "",
    unread > 0 ? `${unread} unread` : "",
    // Without the year and the seconds.
    began ? `since ${localTime(new Date(began)).slice(5, 16)}` : "",
  ];
}
