import { hasErrno, TeamError } from "../../errors.ts";
import { OwnDirectory } from "../../lib/own-directory.ts";
import type { FileUsageReader } from "../../logs/file-usage-reader.ts";
import type { UnreadCount } from "../../mailbox/unread-count.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import type { StoredRequests } from "../../requests/stored-requests.ts";
import { readTeam } from "../../roster/team-file.ts";
import type { StoredTaskBoard } from "../../tasks/stored-task-board.ts";
import { ObservedKey } from "../observed-key.ts";
import { findOwnership } from "../ownership.ts";
import { type TeamLayout, teamLayout } from "../team-layout.ts";
import type { TeamPlace } from "../team-place.ts";

/** A team directory with the roster as it was when it was read. */
export interface OpenedTeam {
  /** Closed when no view uses it. */
  directory: OwnDirectory;
  layout: TeamLayout;
  team: TeamRecord;
  key: ObservedKey;
  /** The parts that have been read; later only changes are read. */
  parts: ReadParts;
}

interface ReadParts {
  tasks?: StoredTaskBoard;
  requests?: StoredRequests;
  usage?: FileUsageReader;
  unread: Map<MemberName, UnreadCount>;
}

/** Reads the roster. Parts of the same team that were read before are kept. */
export async function openTeam(
  place: TeamPlace,
  before: Promise<OpenedTeam> | undefined,
): Promise<OpenedTeam> {
  // Its error was thrown to the caller who asked for it.
  const known = await before?.catch(() => undefined);
  const isInPlace = known?.directory.isInPlace;
  const directory = known && isInPlace ? known.directory : openIfExists(place.directory);
  const team = directory && (await readTeam(directory.to(), place.onWarning));
  if (!directory || !team) throw teamMissing(place.directory);
  const isSame = isInPlace && known?.team.team_id === team.team_id;
  if (isSame && JSON.stringify(known.team) === JSON.stringify(team)) return known;
  const opened: OpenedTeam = {
    directory,
    layout: teamLayout(directory.to()),
    team,
    key: new ObservedKey(place, team),
    parts: known && isSame ? known.parts : { unread: new Map() },
  };
  // A person who looks at a team should know at once whether it is their own.
  await opened.key.verifier();
  return opened;
}

/** Whether the team in a directory was made with a key of the person. */
export async function isOwnTeam(place: TeamPlace): Promise<boolean> {
  using held = openIfExists(place.directory);
  const ownership = held && (await findOwnership(held.to(), place));
  if (!ownership || ownership.type === "none") throw teamMissing(place.directory);
  return ownership.type === "own";
}

function openIfExists(directory: string): OwnDirectory | undefined {
  try {
    return OwnDirectory.open(directory);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    if (!hasErrno(error, "ENOTDIR")) throw error;
    throw new TeamError("team-unusable", `${directory} is a file, not a team's directory`, {
      cause: error,
      hint: "Move it away, or choose another directory with --team-dir.",
    });
  }
}

function teamMissing(directory: string): TeamError {
  return new TeamError("team-missing", `There is no team in ${directory}`, {
    hint: "Change to a directory that has a team, or give the team's directory with --team-dir.",
  });
}
