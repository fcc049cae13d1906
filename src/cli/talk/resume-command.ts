import { pickTeam, teamsLines } from "../past-teams.ts";
import type { Talk, TalkReply } from "./talk.ts";

/** `/resume` lists the teams, `/resume 2` leaves this team for another one. */
export async function runResume(argument: string, { io, teamDir }: Talk): Promise<TalkReply> {
  const archived = await io.pastTeams.list(teamDir);
  if (argument !== "") return { type: "resume", name: pickTeam(archived, argument).name };
  const present = await io.pastTeams.present(teamDir);
  return { type: "shown", lines: teamsLines({ present, archived }, "/resume") };
}
