import { TeamError } from "../../errors.ts";
import type { MemberName } from "../../protocol/ids.ts";

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
  /** Its name in the archive, by which it is opened or brought back. */
  name: string;
  /** When it was set aside, in UTC. */
  archivedAt: string;
}

export function noSuchTeam(name: string, location: string): TeamError {
  return new TeamError("team-missing", `There is no archived team ${JSON.stringify(name)}`, {
    hint: `Take a name from the list of the archived teams in ${location}.`,
  });
}
