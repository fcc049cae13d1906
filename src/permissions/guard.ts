import { basename } from "node:path";
import { contains } from "../lib/contains.ts";
import type { Place } from "../workspace/place.ts";
import { mayFindOption } from "./commands/expand-patterns.ts";
import type { PlaceUse, ResolvedCommand, ResolvedLine } from "./commands/resolved-line.ts";
import { uncoveredArgument } from "./commands/rule-coverage.ts";
import type { SpecialDirectories } from "./judged-call.ts";
import { runsWhatItFinds, sweeping, sweepingInput } from "./sweeping.ts";

export function closedPlace(
  { real }: Place,
  { teamDirectory, keyDirectories }: SpecialDirectories,
): "team" | "keys" | undefined {
  if (keyDirectories.some((keys) => isWithin(keys, real))) return "keys";
  return isWithin(teamDirectory, real) ? "team" : undefined;
}

/** Ignores case: on some file systems `.TEAM` is `.team`. */
function isWithin(parent: string, path: string): boolean {
  return contains(parent.toLowerCase(), path.toLowerCase());
}

/**
 * Why a line could tamper with the team itself: it would write its records, reach its keys, or run
 * `troupe`. Such a line asks in every mode, and is refused in `bypassPermissions`.
 */
export function tampering(
  text: string,
  { commands, doubts, hiddenProgram, isWhole }: ResolvedLine,
  directories: SpecialDirectories,
): string | undefined {
  for (const command of commands) {
    const reason =
      commandTampering(command, directories) ??
      sweeping(command, text, directories) ??
      sweepingInput(command, commands, directories);
    if (reason) return reason;
  }
  if (!isWhole) return `${doubts[0]}, so it may change the team's records`;
  if (makesOption(commands)) return "a file that it makes would be an option of another command";
  const isCode = doubts.length > 0 || hiddenProgram !== undefined || commands.some(runsCode);
  // Quotes may hide a name in the text, but not in the words.
  const words = commands.flatMap(({ layers }) => layers.flat());
  const named = [...commands.flatMap(givenOptions), ...(isCode ? [text, ...words] : [])];
  const isNamed = named.some((each) => mentions(each, directories));
  return isNamed ? "it names the team's own records" : undefined;
}

/** True if a pattern may find a file that the line creates and that looks like an option. */
function makesOption(commands: readonly ResolvedCommand[]): boolean {
  const isMade = commands.some(({ uses, opened }) =>
    [...uses, ...opened].some(({ use, path }) => use === "write" && isOptionName(path)),
  );
  return isMade && commands.some(({ kind, words }) => kind !== "reads" && mayFindOption(words));
}

/** The placeholder for a file that may still be created does not count. */
function isOptionName(path: string): boolean {
  return /(^|\/)-[^/?]+$/.test(path);
}

function givenOptions({ kind, foundOptions }: ResolvedCommand): readonly string[] {
  return kind === "reads" ? [] : foundOptions;
}

function commandTampering(
  command: ResolvedCommand,
  directories: SpecialDirectories,
): string | undefined {
  const { kind, uses, opened, layers, directory, namesTroupe, isMoved } = command;
  const all = [...uses, ...opened];
  const { keyDirectories } = directories;
  const reachesKeys = ({ place, isTree }: PlaceUse) =>
    closedPlace(place, directories) === "keys" ||
    (isTree && keyDirectories.some((keys) => isWithin(place.real, keys)));
  if (all.some(reachesKeys)) {
    return "it would reach the team's keys";
  }
  if (all.some((use) => use.use === "write" && isClosedTo(use, directories))) {
    return "it would write into the team's own records";
  }
  if (all.some(({ use, path }) => use === "write" && path.startsWith("/proc/"))) {
    return "it would write through /proc, where a path leads elsewhere for every program";
  }
  if (isMoved && all.some(({ use }) => use === "write")) {
    return "it would write where another command of the line leads it";
  }
  if (kind === "reads") return undefined;
  if (closedPlace(directory, directories)) return "it would run among the team's own records";
  const isRun = layers.some(
    ([name, ...others]) => isTroupe(name) || (isRunner(name) && others.some(isTroupe)),
  );
  const isRunByPath =
    layers.some(([name]) => isRunner(name)) && uses.some(({ place }) => isTroupe(place.real));
  if (isRun || isRunByPath || namesTroupe) return "it would run troupe";
  if (uses.some(({ path, place }) => isInstalled(path) || isInstalled(place.real))) {
    return "it would put troupe where it goes by another name";
  }
  return runsWhatItFinds(command) ? "it runs the files it finds, and one may be troupe" : undefined;
}

/** True for a program that runs code from its arguments, which cannot be judged. */
function runsCode({ kind, words, doubt, caution }: ResolvedCommand): boolean {
  if (kind === "reads") return false;
  return (doubt ?? caution ?? uncoveredArgument(words, 1)) !== undefined;
}

function isClosedTo({ place, isTree }: PlaceUse, directories: SpecialDirectories): boolean {
  if (closedPlace(place, directories)) return true;
  const { teamDirectory, keyDirectories } = directories;
  return (
    isTree && [teamDirectory, ...keyDirectories].some((closed) => isWithin(place.real, closed))
  );
}

/** By its name, or by the file behind that name in an installed package. */
function isTroupe(word: string | undefined): boolean {
  return /(^|\/)troupe(@[^/]*|\.[cm]?js|\.cmd|\/(.*\/)?main\.[cm]?[jt]s)?$/s.test(word ?? "");
}

/** The program itself where a package manager puts it, and not a folder or branch of that name. */
function isInstalled(path: string): boolean {
  return /(^|\/)(\.?bin\/troupe(\.cmd|\.[cm]?js)?|node_modules\/(.*\/)?troupe\/(.*\/)?main\.[cm]?[jt]s)$/s.test(
    path,
  );
}

function isRunner(word: string | undefined): boolean {
  return /^(.*\/)?(npx|npm|pnpx|pnpm|yarn|bunx|bun|uvx|node|nodejs|tsx|ts-node|deno)$/.test(
    word ?? "",
  );
}

/** True when code that cannot be judged names the team's directory, its keys, or troupe. */
function mentions(text: string, { teamDirectory, keyDirectories }: SpecialDirectories): boolean {
  const isNamed = (name: string) =>
    text.split(name).some((rest, index) => index > 0 && !/^[\w-]/.test(rest));
  return [basename(teamDirectory), ...keyDirectories].some(isNamed) || /\btroupe\b/.test(text);
}
