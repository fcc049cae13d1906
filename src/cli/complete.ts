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
  const line = withoutEqualsSigns(words[0] === "--" ? words.slice(1) : words);
  const typed = line.at(-1) ?? "";
  try {
    const found = line.length <= 1 ? await beginnings(commands) : await within(commands, line, io);
    return found.filter((word) => word.startsWith(typed));
  } catch (error) {
    if (error instanceof TeamError || fileSystemFailure(error, ".team")) return [];
    throw error;
  }
}

/** Bash makes three words of `--model=x`. */
function withoutEqualsSigns(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (word !== "=") return word;
    return index === words.length - 1 ? "" : [];
  });
}

/** The commands, and the options of `troupe` without one. */
async function beginnings(commands: Commands): Promise<string[]> {
  const talk = await commands.get("")?.();
  const names = [...commands.keys()].filter((name) => name !== "");
  return [...names, ...(talk ? flagsOf(talk) : []), "--version"];
}

function flagsOf(command: Command): string[] {
  return Object.keys({ ...command.options, help: true }).map((flag) => `--${flag}`);
}

async function within(commands: Commands, words: string[], io: Io): Promise<string[]> {
  const [name = "", ...others] = words;
  const isBare = name.startsWith("-") && name !== "-p";
  const command = await commands.get(isBare ? "" : name === "-p" ? "run" : name)?.();
  if (!command) return [];
  const line = readLine(command, isBare ? words : others);
  if (line.option === command.options.model && line.option) return models(words.at(-1) ?? "", io);
  if (line.option) return choicesOf(line.option);
  if (line.isFlag) return flagsOf(command);
  const parameter = command.parameters[line.positionals] ?? "";
  return candidates(parameter, () => io.viewTeam(line.teamDir, () => {}));
}

/** Those that can be used at once, and all others once something is typed. The last one of a list counts. */
async function models(typed: string, { processInfo }: Io): Promise<string[]> {
  const { listModels } = await import("../team/list-models.ts");
  const { ownFactsFor } = await import("./settings/configuration.ts");
  const { env, models, providers } = await ownFactsFor(processInfo.cwd, processInfo);
  const listed = await listModels({ env, models: models ?? {}, providers: providers ?? {} });
  const before = typed.slice(0, typed.lastIndexOf(",") + 1);
  return listed
    .filter(({ id, isReady }) => !id.endsWith("*") && (isReady || typed !== ""))
    .map(({ id }) => before + id);
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

async function candidates(parameter: string, open: () => Promise<TeamView>): Promise<string[]> {
  if (parameter === "[<which>]") {
    const archived = await (await open()).archives();
    return archived.map((_, index) => String(index + 1));
  }
  if (/<name>/.test(parameter)) return memberNames(await (await open()).team());
  if (/<id>/.test(parameter)) {
    const waiting = await (await open()).requests({ state: "pending" });
    return waiting.filter(isForPerson).map(({ id }) => id);
  }
  return alternatives(parameter);
}
