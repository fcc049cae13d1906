import { basename } from "node:path";
import { contains } from "../workspace/real-path.ts";
import type { Surroundings } from "./case.ts";
import { knownValue } from "./commands/argument.ts";
import type { ResolvedCommand } from "./commands/resolve-line.ts";
import { programName } from "./commands/wrappers.ts";

/** Ways to name the directory that a command runs in, but for `.`. */
const here = /\$\{?PWD\b|~\+|\$\(pwd\)|`pwd`/;

/**
 * Why a command that changes whole folders would change the team's records among them, though it
 * does not name them. What a program does by code of its own is beyond this.
 */
export function sweeping(
  command: ResolvedCommand,
  text: string,
  { teamDirectory }: Surroundings,
): string | undefined {
  const { words, kind, uses, directory } = command;
  if (kind === "reads" || command.words.length === 0) return undefined;
  const reason = "it would change whole folders, the team's own records among them";
  const values = words.map((word) => knownValue(word));
  if (placesRecords(command, basename(teamDirectory))) return reason;
  if (!isSweeping(programName(words[0]) ?? "", values.slice(1))) return undefined;
  const covers = (real: string) => contains(real, teamDirectory);
  const isHere = sweepsByItself(words.map(knownValue)) || hidesHere(values, text);
  if (isHere && covers(directory.real)) return reason;
  return uses.some(({ place, use }) => use === "write" && covers(place.real)) ? reason : undefined;
}

/** A recursive change: of owners and modes, of what is deleted, of what git does not keep. */
function isSweeping(name: string, words: readonly (string | undefined)[]): boolean {
  const has = (option: RegExp) => words.some((word) => option.test(word ?? ""));
  switch (name) {
    case "rm":
      return has(/^-[a-zA-Z]*[rR]|^--rec/);
    case "chown":
    case "chgrp":
    case "chmod":
      return has(/^-[a-zA-Z]*R|^--rec/);
    case "find":
      return has(/^-delete$/) || (has(/^-(exec|ok)/) && has(/^(.*\/)?(rm|shred|unlink)$/));
    case "git":
      return has(/^clean$/) && has(/^-[a-zA-Z]*[xX]/);
    default:
      return false;
  }
}

/** Without a folder in its arguments, it takes the one it runs in. */
function sweepsByItself([program, ...words]: readonly (string | undefined)[]): boolean {
  if (program === "find") return /^[-(!]/.test(words[0] ?? "-");
  return program === "git" && words.slice(words.indexOf("clean") + 1).every(isOption);
}

function isOption(word: string | undefined): boolean {
  return word?.startsWith("-") ?? false;
}

/** An argument that is not known may be this directory, and a star may mean hidden files too. */
function hidesHere(values: readonly (string | undefined)[], text: string): boolean {
  if (/\b(dotglob|GLOBIGNORE)\b/.test(text)) return true;
  return values.includes(undefined) && here.test(text);
}

/** A copy under the records' own name, by options that are not known. */
function placesRecords({ words, problem }: ResolvedCommand, records: string): boolean {
  if (problem === undefined) return false;
  const isCopying = /^(cp|mv|ln|rsync|install)$/.test(programName(words[0]) ?? "");
  return isCopying && words.some((word) => basename(knownValue(word) ?? "") === records);
}
