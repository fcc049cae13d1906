import { describeTeam } from "../../team/describe-team.ts";
import { pickTeam, teamsLines } from "../past-teams.ts";
import type { Talk, TalkReply } from "./talk.ts";

/** `/resume` lists the teams, `/resume 2` leaves this team for another one. */
export async function runResume(argument: string, { io, teamDir }: Talk): Promise<TalkReply> {
  const view = await io.viewTeam(teamDir);
  const archived = await view.archives();
  if (argument !== "") return { type: "resume", name: pickTeam(archived, argument).name };
  const present = await describeTeam(view);
  return { type: "shown", lines: teamsLines({ present, archived }, "/resume") };
}
