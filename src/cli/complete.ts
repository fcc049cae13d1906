import { resolve } from "node:path";
import { TeamError } from "../errors.ts";
import { isForPerson } from "../permissions/persons-question.ts";
import { memberNames } from "../team/find-member.ts";
import type { TeamView } from "../team/view/team-view.ts";
import type { Command, Io, Option } from "./command.ts";
import { fileSystemFailure } from "./file-system-failure.ts";

type Commands = ReadonlyMap<string, () => Promise<Command>>;

/**
 * Candidates for the last of `words`, which the person has typed after `troupe`. Never throws: the
 * person is in the middle of a line.
 */
export async function complete(commands: Commands, words: string[], io: Io): Promise<string[]> {
  const [name = "", ...rest] = words[0] === "--" ? words.slice(1) : words;
  const typed = rest.at(-1) ?? name;
  const found = rest.length === 0 ? beginnings(commands) : await within(commands, name, rest, io);
  return found.filter((word) => word.startsWith(typed));
}

function beginnings(commands: Commands): string[] {
  return [...[...commands.keys()].filter((name) => name !== ""), "--help", "--version"];
}

async function within(commands: Commands, name: string, rest: string[], io: Io): Promise<string[]> {
  const command = await commands.get(name === "-p" ? "run" : name)?.();
  if (!command) return [];
  const line = readLine(command, rest);
  if (line.option) return choicesOf(line.option);
  if (line.isFlag)
    return Object.keys({ ...command.options, help: true }).map((flag) => `--${flag}`);
  const parameter = command.parameters[line.positionals] ?? "";
  if (parameter === "[<which>]") return teamNumbers(line.teamDir ?? ".team", io);
  return candidates(parameter, () => io.viewTeam(line.teamDir, () => {}));
}

/** What the last word of a command line can be. */
interface CursorContext {
  /** The option whose value the word is. */
  option: Option | undefined;
  isFlag: boolean;
  /** How many positionals come before it. */
  positionals: number;
  teamDir: string | undefined;
}

function readLine({ options }: Command, words: readonly string[]): CursorContext {
  const line: CursorContext = {
    option: undefined,
    isFlag: false,
    positionals: 0,
    teamDir: undefined,
  };
  let isText = false;
  let named = "";
  for (const word of words.slice(0, -1)) {
    if (line.option) {
      if (named === "team-dir") line.teamDir = word;
      line.option = undefined;
    } else if (isText || !word.startsWith("-")) line.positionals++;
    else if (word === "--") isText = true;
    else {
      named = longName(options, word);
      const option = options[named];
      line.option = option?.takes ? option : undefined;
    }
  }
  line.isFlag = !isText && !line.option && (words.at(-1) ?? "").startsWith("-");
  return line;
}

function longName(options: Command["options"], word: string): string {
  const letter = word.slice(1);
  const byLetter = Object.entries(options).find(([, { short }]) => short === letter);
  return byLetter?.[0] ?? word.slice(2);
}

function choicesOf({ choices, takes = "" }: Option): string[] {
  return choices ? [...choices] : alternatives(takes);
}

/** The choices in `deny|wait`, `<bash|zsh>` or `[add|remove]`. */
function alternatives(text: string): string[] {
  const [, listed = ""] = /^[<[]?([\w-]+(?:\|[\w-]+)+)[>\]]?$/.exec(text) ?? [];
  return listed === "" ? [] : listed.split("|");
}

async function teamNumbers(teamDir: string, { pastTeams, processInfo }: Io): Promise<string[]> {
  const archived = await pastTeams.list(resolve(processInfo.cwd, teamDir));
  return archived.map((_, index) => String(index + 1));
}

async function candidates(parameter: string, open: () => Promise<TeamView>) {
  try {
    if (/<name>/.test(parameter)) return memberNames(await (await open()).team());
    if (/<id>/.test(parameter)) {
      const waiting = await (await open()).requests({ state: "pending" });
      return waiting.filter(isForPerson).map(({ id }) => id);
    }
    return alternatives(parameter);
  } catch (error) {
    if (error instanceof TeamError || fileSystemFailure(error, ".team")) return [];
    throw error;
  }
}
