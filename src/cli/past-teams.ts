import { TeamError } from "../errors.ts";
import { costText } from "../protocol/amounts.ts";
import type { ArchivedTeam, TeamDescription } from "../team/view/archived-team.ts";
import { localTime } from "./render/local-time.ts";
import { oneLine } from "./render/one-line.ts";

/** The teams of a directory. */
export interface ListedTeams {
  /** Undefined where there is none. */
  present: TeamDescription | undefined;
  /** Newest first. The first one has number 1. */
  archived: readonly ArchivedTeam[];
}

/** A list of teams for a person. `call` is what brings a team back, as in `troupe resume`. */
export function teamsLines({ present, archived }: ListedTeams, call: string): string[] {
  const width = String(archived.length).length;
  const rows = [
    ...(present ? [{ label: "now", team: present, since: startOf(present) }] : []),
    ...archived.map((team, index) => ({
      ...{ label: String(index + 1).padStart(width), team, since: archivedSince(team) },
    })),
  ];
  if (rows.length === 0) return ["There is no team here."];
  const indent = Math.max(...rows.map(({ label }) => label.length));
  return [
    ...rows.flatMap(({ label, team, since }) => [
      `${label.padStart(indent)}  ${promptOf(team)}`,
      `${" ".repeat(indent)}  ${[since, membersOf(team), costOf(team)].join(" · ")}`,
    ]),
    ...(archived.length === 0
      ? ["No team is in the archive."]
      : [`\`${call} <number>\` brings a team back. The current one is archived.`]),
  ];
}

/** One archived team on a line, without its number. */
export function archivedLine(team: ArchivedTeam): string {
  return [promptOf(team), archivedSince(team), membersOf(team), costOf(team)].join(" · ");
}

/** The archived team that a person means: by its number in the list, or by how its name begins. */
export function pickTeam(archived: readonly ArchivedTeam[], which: string): ArchivedTeam {
  const found = /^\d{1,6}$/.test(which)
    ? archived.slice(Number(which) - 1, Number(which))
    : archived.filter(({ name }) => which !== "" && name.startsWith(which));
  const [team, ...others] = Number(which) === 0 ? [] : found;
  if (!team) {
    throw new TeamError("team-missing", `There is no archived team ${oneLine(which, 60)}`, {
      hint: numbersHint(archived),
    });
  }
  if (others.length > 0) {
    const names = found.map(({ name }) => name).join(", ");
    throw new TeamError("usage-wrong", `Several archived teams begin with ${which}`, {
      hint: `They are ${names}.`,
    });
  }
  if (!team.isOwn) {
    throw new TeamError("team-foreign", `The archived team ${team.name} is not yours`, {
      hint: "Only a team that was made with a key of yours can be brought back.",
    });
  }
  return team;
}

/** The hint for somebody who has not said which team. */
export function numbersHint(archived: readonly ArchivedTeam[]): string {
  if (archived.length === 0)
    return "No team is in the archive; `troupe --fresh` and /new set one aside.";
  return `Give a number from 1 to ${archived.length}: \`troupe teams\` lists the teams.`;
}

const promptLength = 72;

function promptOf({ firstPrompt }: TeamDescription): string {
  return firstPrompt === undefined ? "(no prompt yet)" : oneLine(firstPrompt, promptLength);
}

function startOf({ startedAt }: TeamDescription): string {
  return startedAt ? `since ${localTime(new Date(startedAt))}` : "not started";
}

function archivedSince({ archivedAt, isOwn }: ArchivedTeam): string {
  const since = `archived ${localTime(new Date(archivedAt))}`;
  return isOwn ? since : `${since} · not yours`;
}

function membersOf({ members }: TeamDescription): string {
  return oneLine(members.join(", "), promptLength);
}

function costOf({ costUsd }: TeamDescription): string {
  return costText(costUsd, costUsd === null ? 1 : 0);
}
