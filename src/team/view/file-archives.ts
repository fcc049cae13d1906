import { join } from "node:path";
import { reasonOf } from "../../errors.ts";
import { openIfThere } from "../../lib/content-file.ts";
import { listEntries } from "../../lib/files.ts";
import { isThere } from "../../lib/is-there.ts";
import { describeTeam } from "../describe-team.ts";
import { ArchiveName } from "../restore-team.ts";
import { teamLayout } from "../team-layout.ts";
import type { TeamPlace } from "../team-place.ts";
import { type ArchivedTeam, noSuchTeam } from "./archived-team.ts";
import type { ArchivedTeamView } from "./team-view.ts";

type OpenArchived = (place: TeamPlace) => ArchivedTeamView;

/** The teams that were set aside in a team directory, as far as they can be read, newest first. */
export async function listArchives(place: TeamPlace, open: OpenArchived): Promise<ArchivedTeam[]> {
  using held = openIfThere(place.directory);
  if (!held) return [];
  const names = (await listEntries(teamLayout(held.to()).archive))
    .filter((entry) => entry.isDirectory() && ArchiveName.safeParse(entry.name).success)
    .map(({ name }) => name);
  const teams: ArchivedTeam[] = [];
  for (const name of names.sort().reverse()) {
    // A list says nothing about the keys of others: `isOwn` does.
    const view = open({ ...placeIn(place, name), onWarning: () => undefined });
    const team = await describeIfReadable(name, view, place);
    if (team) teams.push(team);
  }
  return teams;
}

/** The place of a team in the archive of a directory. */
export async function placeOfArchived(place: TeamPlace, name: string): Promise<TeamPlace> {
  const archived = placeIn(place, name);
  const isName = ArchiveName.safeParse(name).success;
  if (!isName || !(await isThere(archived.directory))) throw noSuchTeam(name, place.directory);
  return archived;
}

function placeIn(place: TeamPlace, name: string): TeamPlace {
  return { ...place, directory: join(teamLayout(place.directory).archive, name) };
}

/** One team that cannot be read hides no other one: the person is told of it, and it is left out. */
async function describeIfReadable(
  name: string,
  view: ArchivedTeamView,
  { onWarning }: TeamPlace,
): Promise<ArchivedTeam | undefined> {
  try {
    // Not every directory is a whole team: some have transcripts of members that were spawned again.
    const team = await describeTeam(view);
    return team && { name, archivedAt: timeOf(name), ...team };
  } catch (error) {
    onWarning(`The archived team ${name} cannot be read: ${reasonOf(error)}`);
    return undefined;
  }
}

function timeOf(name: string): string {
  const [, day = "", hours, minutes, rest = ""] = /^(.{10})T(\d\d)-(\d\d)-(.*?Z)/.exec(name) ?? [];
  return `${day}T${hours}:${minutes}:${rest}`;
}
