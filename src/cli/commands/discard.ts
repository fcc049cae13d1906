import { z } from "zod";
import { type Command, lookOptions } from "../command.ts";
import { decideLandings, tellDecided } from "../decide-landings.ts";
import { findLandings } from "../find-landings.ts";
import { parseOptions } from "../parse-arguments.ts";

const Flags = z.object({ reason: z.string().optional() });

export const discard: Command = {
  name: "discard",
  group: "act",
  summary: "Say that the work of a member is not to land; it stays kept",
  parameters: ["<name>"],
  options: { reason: { takes: '"<text>"', summary: "a note for the member" }, ...lookOptions },
  examples: [
    { call: "troupe discard alice", does: "the newest work of alice does not land" },
    { call: 'troupe discard alice --reason "Too much"', does: "and alice is told why" },
  ],
  notes: [
    "Nothing is removed: a ref in your repository keeps the work, and troupe land still lets it land. The member is told with its next turn.",
    "The process that runs the team carries this out; if the team is not running, it happens when the team runs again.",
  ],

  async run({ positionals: [name = ""], json, teamDir, values }, io) {
    const { reason } = parseOptions(Flags, values, discard);
    const view = await io.viewTeam(teamDir);
    const landings = (await findLandings(view, name)).slice(-1);
    const done = await decideLandings(view, { landings, decision: "discard", reason });
    return tellDecided(done, { json, io });
  },
};
