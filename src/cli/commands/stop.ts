import { TeamError } from "../../errors.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import { findMember } from "../../team/find-member.ts";
import { type Command, lookOptions } from "../command.ts";
import { jsonText } from "../render/json-text.ts";

export const stop: Command = {
  name: "stop",
  group: "act",
  summary: "End a teammate without asking it; all of them, and the lead's run, unless you name one",
  parameters: ["[<name>]"],
  options: lookOptions,
  examples: [
    { call: "troupe stop alice", does: "alice ends, whatever she is doing" },
    { call: "troupe stop", does: "all teammates end, and so does what the lead is doing" },
  ],
  notes: [
    "Whoever runs the team carries it out; where nobody does, it is carried out when the team runs again.",
    "An ended teammate reads no mail any more. The lead can spawn it again, with its history.",
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
        ? `${whom} will be ended by the process that runs the team (pid ${lead.pid}).`
        : `${whom} will be ended when the team runs again: nobody runs it.`,
    );
    return 0;
  },
};

function refuseEnded({ members }: TeamRecord, name: MemberName): void {
  const hasEnded = (each: TeamRecord["members"][number]) => each.status === "shutdown";
  if (!members.some((member) => member.name === name && hasEnded(member))) return;
  const others = members.filter((member) => !hasEnded(member)).map((member) => member.name);
  throw new TeamError("member-ended", `'${name}' has ended already`, {
    hint: others.length > 0 ? `Still there: ${others.join(", ")}.` : "No teammate is left.",
  });
}
