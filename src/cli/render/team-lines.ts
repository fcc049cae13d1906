import { costText, shortCount } from "../../protocol/amounts.ts";
import type { Member } from "../../protocol/team.ts";
import { totalTokens, type UsageTotal } from "../../protocol/usage.ts";
import { screenWidth, table } from "./columns.ts";
import { localTime } from "./local-time.ts";
import { oneLine } from "./one-line.ts";

interface ListedMember {
  member: Member;
  /** When its current status began. */
  since: string | null;
  usage: UsageTotal;
  unread: number;
}

export interface ListedTeam {
  team_name: string;
  members: readonly ListedMember[];
  isRunning: boolean;
}

const detailIndent = 4;
const leastRoom = 7;

/** A team for a person: per member a line, and details below it in columns. */
export function teamLines({ team_name, members, isRunning }: ListedTeam): string[] {
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

function memberLine({ name, role, status, detail }: Member, isRunning: boolean): string {
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
  const rows = members.map(({ member }, index) => [
    shortModel(member.model ?? "", room),
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
