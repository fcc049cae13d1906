import { join, resolve } from "node:path";
import { TeamError } from "../../errors.ts";
import type { ArchivedTeam } from "../../team/view/archived-team.ts";
import type { Arguments, Command, Io } from "../command.ts";
import { archivedLine, numbersHint, pickTeam } from "../past-teams.ts";
import { holdTalk, talk } from "./talk.ts";

const { fresh: _fresh, "take-over": _takeOver, ...options } = talk.options;

export const resume: Command = {
  name: "resume",
  group: "talk",
  summary: "Bring an archived team back, and talk to its lead",
  parameters: ["[<which>]"],
  options,
  examples: [
    { call: "troupe resume", does: "lists the archived teams, and asks for a number" },
    { call: "troupe resume 2", does: "the team that `troupe teams` lists as 2" },
    { call: "troupe resume 2026-11-15", does: "the team that was archived on that day" },
  ],
  notes: ["The current team is archived first; you can bring it back in the same way."],

  async run(given, io) {
    const archived = await (await io.viewTeam(teamDirectoryOf(given, io))).archives();
    const [which] = given.positionals;
    const name = which === undefined ? await ask(archived, io) : pickTeam(archived, which).name;
    if (name === undefined) return exitLeft;
    return holdTalk({ ...given, positionals: [] }, io, name);
  },
};

/** The exit code after Ctrl-C at the question. */
const exitLeft = 130;

/** So many teams can be chosen from without naming one. */
const maxOffered = 20;

function teamDirectoryOf({ values, teamDir }: Arguments, { processInfo }: Io): string {
  const workspace = resolve(processInfo.cwd, String(values.cwd ?? "."));
  return teamDir ? resolve(processInfo.cwd, teamDir) : join(workspace, ".team");
}

/** Asks the person at a terminal; undefined if they quit. */
async function ask(archived: readonly ArchivedTeam[], io: Io): Promise<string | undefined> {
  if (archived.length === 0) {
    throw new TeamError("team-missing", "There is no archived team to bring back", {
      hint: numbersHint(archived),
    });
  }
  if (!io.terminal.isInteractive) {
    throw new TeamError("usage-wrong", "Which team?", { hint: numbersHint(archived) });
  }
  const { askAtStart } = await import("../ask-at-start.ts");
  const offered = archived.slice(0, maxOffered);
  const answers = Object.fromEntries(
    offered.map((team, index) => [String(index + 1), archivedLine(team)]),
  );
  const lines = ["Which team do you want to bring back? The current one will be archived."];
  const answer = await askAtStart({ lines, answers }, io);
  return answer === undefined ? undefined : pickTeam(archived, answer).name;
}
