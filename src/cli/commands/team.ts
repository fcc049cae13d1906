import type { Member } from "../../protocol/team.ts";
import { type Command, lookOptions } from "../command.ts";
import { oneLine } from "../render/one-line.ts";

export const team: Command = {
  name: "team",
  summary: "Who is in the team, and what each of them is doing",
  parameters: [],
  options: lookOptions,

  async run({ json, teamDir }, io) {
    const observer = await io.observeTeam(teamDir);
    const lead = await observer.lead();

    if (json) {
      const running = lead ? { pid: lead.pid, host: lead.host } : null;
      io.out(JSON.stringify({ ...observer.team, running }, null, 2));
      return 0;
    }
    const { team_name, members } = observer.team;
    io.out(`Team: ${oneLine(team_name, 100)}`);
    if (members.length === 0) io.out("No teammates.");
    for (const member of members) io.out(memberLine(member, lead !== undefined));
    return 0;
  },
};

function memberLine({ name, role, status, detail }: Member, isRunning: boolean): string {
  const notes = [status, ...(detail ? [oneLine(detail, 100)] : [])];
  if (!isRunning && status !== "shutdown") notes.push("not running");
  return `  ${name} (${oneLine(role, 60)}): ${notes.join(", ")}`;
}
