import { TeamError } from "../../errors.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import { findMember } from "../../team/find-member.ts";
import { type Command, lookOptions } from "../command.ts";
import { jsonText } from "../render/json-text.ts";

export const stop: Command = {
  name: "stop",
  group: "act",
  summary: "Stop a teammate at once (default: all teammates and the lead's current run)",
  parameters: ["[<name>]"],
  options: lookOptions,
  examples: [
    { call: "troupe stop alice", does: "stop alice, whatever she is doing" },
    { call: "troupe stop", does: "stop all teammates and what the lead is doing" },
  ],
  notes: [
    "The process that runs the team carries this out; if the team is not running, it happens when the team runs again.",
    "A stopped teammate reads no more mail. The lead can spawn it again, with its history.",
  ],

  async run({ positionals: [name], json, teamDir }, io) {
    const view = await io.viewTeam(teamDir);
    const team = await view.team();
    const lead = await view.lead();
    const target = name === undefined ? team.lead : findMember(team, name);
    refuseEnded(team, target);
    await view.stop(target);

    if (json) {
      const running = lead ? { pid: lead.pid, host: lead.host } : null;
      io.out(jsonText({ stop: target, running }, 2));
      return 0;
    }
    const whom = target === team.lead ? "All teammates and the lead's run" : `'${target}'`;
    io.out(
      lead
        ? `${whom} will be stopped by the process that runs the team (pid ${lead.pid}).`
        : `${whom} will be stopped when the team runs again: it is not running.`,
    );
    return 0;
  },
};

function refuseEnded({ members }: TeamRecord, name: MemberName): void {
  const hasEnded = (each: TeamRecord["members"][number]) => each.status === "shutdown";
  if (!members.some((member) => member.name === name && hasEnded(member))) return;
  const others = members.filter((member) => !hasEnded(member)).map((member) => member.name);
  throw new TeamError("member-ended", `'${name}' has already ended`, {
    hint: others.length > 0 ? `Still in the team: ${others.join(", ")}.` : "No teammate is left.",
  });
}
