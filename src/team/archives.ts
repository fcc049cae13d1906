import { join } from "node:path";
import { reasonOf } from "../errors.ts";
import { openIfThere } from "../lib/content-file.ts";
import { firstCharacters } from "../lib/cut-text.ts";
import { type FilePath, within } from "../lib/file-path.ts";
import { listEntries } from "../lib/files.ts";
import { lead, type MemberName, user } from "../protocol/ids.ts";
import { reportUsage, type UsageReport } from "../protocol/usage.ts";
import { memberNames } from "./find-member.ts";
import { findOwnership } from "./ownership.ts";
import { ArchiveName, noSuchTeam } from "./restore-team.ts";
import { teamLayout } from "./team-layout.ts";
import type { TeamPlace } from "./team-place.ts";
import { FileTeamView } from "./view/file-team-view.ts";
import { entriesOldestFirst } from "./view/read-pages.ts";
import type { TeamActions, TeamView } from "./view/team-view.ts";

/** What a list of teams says of each. */
export interface TeamDescription {
  /** When its lead was first woken; undefined where it never was. */
  startedAt: string | undefined;
  /** The first words of the person's first prompt. */
  firstPrompt: string | undefined;
  /** The names of its members. */
  members: MemberName[];
  /** Of all its model calls; null where none of their prices is known. */
  costUsd: number | null;
  /** False for a team that somebody else has made: it cannot be brought back. */
  isOwn: boolean;
}

/** A team that was set aside. */
export interface ArchivedTeam extends TeamDescription {
  /** Its directory in the archive, by which it is opened or brought back. */
  name: string;
  /** When it was set aside, in UTC. */
  archivedAt: string;
}

/** A team that can only be looked at. */
export type ArchivedTeamView = Omit<TeamView, keyof TeamActions>;

/** The teams that were set aside in a team directory, as far as they can be read, newest first. */
export async function listArchives(place: TeamPlace): Promise<ArchivedTeam[]> {
  using held = openIfThere(place.directory);
  if (!held) return [];
  const { archive } = teamLayout(held.to());
  const names = (await listEntries(archive))
    .filter((entry) => entry.isDirectory() && ArchiveName.safeParse(entry.name).success)
    .map(({ name }) => name);
  const teams: ArchivedTeam[] = [];
  for (const name of names.sort().reverse()) {
    const team = await describeIfReadable(name, within(archive, name), place);
    if (team) teams.push(team);
  }
  return teams;
}

/** The team in a team directory, as the list of archived teams would describe it; undefined where there is none. */
export async function describeTeam(place: TeamPlace): Promise<TeamDescription | undefined> {
  using held = openIfThere(place.directory);
  return held && (await describe(held.to(), place, new FileTeamView(place)));
}

/** Opens an archived team to look at it. Its directory is not changed. */
export function viewArchive(place: TeamPlace, name: string): ArchivedTeamView {
  if (!ArchiveName.safeParse(name).success) throw noSuchTeam(name, place);
  return viewOf(place, name);
}

function viewOf(place: TeamPlace, name: string): FileTeamView {
  const directory = join(teamLayout(place.directory).archive, name);
  return new FileTeamView({ ...place, directory }, { isArchived: true });
}

/** One team that cannot be read hides no other one: the person is told of it, and it is left out. */
async function describeIfReadable(
  name: string,
  directory: FilePath,
  place: TeamPlace,
): Promise<ArchivedTeam | undefined> {
  try {
    // A list says nothing about the keys of others: `isOwn` does.
    const view = viewOf({ ...place, onWarning: () => undefined }, name);
    const team = await describe(directory, place, view);
    return team && { name, archivedAt: timeOf(name), ...team };
  } catch (error) {
    place.onWarning(`The archived team ${name} cannot be read: ${reasonOf(error)}`);
    return undefined;
  }
}

/** Undefined for what is not a whole team: transcripts of members that were spawned again. */
async function describe(
  directory: FilePath,
  place: TeamPlace,
  view: Pick<TeamView, "team" | "usage" | "transcript">,
): Promise<TeamDescription | undefined> {
  const ownership = await findOwnership(directory, place);
  if (ownership.type === "none") return undefined;
  return {
    ...(await beginningOf(view)),
    members: memberNames(await view.team()),
    costUsd: costOf([...(await view.usage()).values()]),
    isOwn: ownership.type === "own",
  };
}

/** The first prompt is near the beginning: a compaction changes nothing before it. */
async function beginningOf(
  view: Pick<TeamView, "transcript">,
): Promise<Pick<ArchivedTeam, "startedAt" | "firstPrompt">> {
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

function timeOf(name: string): string {
  const [, day = "", hours, minutes, rest = ""] = /^(.{10})T(\d\d)-(\d\d)-(.*?Z)/.exec(name) ?? [];
  return `${day}T${hours}:${minutes}:${rest}`;
}
