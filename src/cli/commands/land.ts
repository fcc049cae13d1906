import { resolve } from "node:path";
import { z } from "zod";
import type { Landing } from "../../protocol/landing.ts";
import { type Command, type Io, lookOptions } from "../command.ts";
import { decideLandings, tellDecided } from "../decide-landings.ts";
import { findLandings } from "../find-landings.ts";
import { broughtLines } from "../landings-text.ts";
import { parseOptions, wrongUsage } from "../parse-arguments.ts";
import { jsonText } from "../render/json-text.ts";
import { waitsForPerson } from "../render/landing.ts";

const Flags = z.object({ all: z.boolean().default(false), cwd: z.string().default(".") });

export const land: Command = {
  name: "land",
  group: "act",
  summary: "Bring landed work to your branch and files; with a name, let the work of a member land",
  parameters: ["[<name>]"],
  options: {
    all: { summary: "let all work land that waits for you" },
    cwd: { takes: "<directory>", summary: "the workspace (default: the current directory)" },
    ...lookOptions,
  },
  examples: [
    {
      call: "troupe land",
      does: "bring what is on troupe/default to the branch you have checked out",
    },
    { call: "troupe land alice", does: "let the newest work of alice land on troupe/default" },
    { call: "troupe land --all", does: "the same for everybody whose work waits for you" },
  ],
  notes: [
    "A file that you have changed stays as it is, and is named; then your branch stays where it is, too. No hook of the repository runs.",
    "The process that runs the team lets work land; if the team is not running, that happens when it runs again.",
  ],

  async run({ positionals: [name], json, teamDir, values }, io) {
    const { all, cwd } = parseOptions(Flags, values, land);
    if (all && name !== undefined) throw wrongUsage("A name and --all exclude each other", land);
    const view = await io.viewTeam(teamDir);
    if (name === undefined && !all) return await bring({ cwd, json, teamDir }, io);
    const found: Landing[] =
      name === undefined
        ? (await view.landings()).filter(waitsForPerson)
        : (await findLandings(view, name)).slice(-1);
    return tellDecided(await decideLandings(view, { landings: found, decision: "land" }), {
      ...{ json, io },
    });
  },
};

async function bring(
  { cwd, json, teamDir }: { cwd: string; json: boolean; teamDir: string | undefined },
  io: Io,
): Promise<number> {
  const view = await io.viewTeam(teamDir);
  const brought = await view.bringLanded(resolve(io.processInfo.cwd, cwd));
  const isDone = brought.every(({ type }) => type === "brought" || type === "nothing");
  if (json) io.out(jsonText(brought, 2));
  else {
    const lines = brought.flatMap((each) => broughtLines(each, "troupe "));
    for (const line of lines) io.out(line);
    if (brought.length === 0) io.out("Nothing has landed yet: troupe changes shows what there is.");
  }
  return isDone ? 0 : 1;
}
