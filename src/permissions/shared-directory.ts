import { knownValue, literal } from "./commands/argument.ts";
import { readGit } from "./commands/git-programs.ts";
import type { ResolvedLine } from "./commands/resolved-line.ts";

const subcommands = ["checkout", "switch", "restore", "reset", "clean", "stash", "rebase"];
const named = new RegExp(`\\bgit\\b[^;&|]*\\b(${subcommands.join("|")})\\b`);

/**
 * Why a line could take back what others have in the same directory, and have not committed. It cannot detect what a
 * program's own code does.
 */
export function takesBack(text: string, { commands, doubts }: ResolvedLine): string | undefined {
  const found = commands
    .filter(({ kind }) => kind !== "reads")
    .flatMap(({ layers }) => layers.flatMap((layer) => subcommandIn(layer) ?? []))
    .find((each) => subcommands.includes(each));
  const [, hidden] = (doubts.length > 0 && named.exec(text)) || [];
  const subcommand = found ?? hidden;
  if (subcommand === undefined) return undefined;
  return `git ${subcommand} may take back what others have changed in this directory`;
}

/** The subcommand of a call of git; undefined for another program. */
function subcommandIn([program = "", ...words]: readonly string[]): string | undefined {
  if (program.replace(/^.*\//s, "") !== "git") return undefined;
  const call = readGit(words.map(literal));
  // With options that are not known, any of the words may be it.
  if ("problem" in call) return words.find((word) => subcommands.includes(word));
  const [first] = call.rest.map(knownValue);
  const isLook = call.subcommand === "stash" && /^(list|show)$/.test(first ?? "");
  return isLook ? undefined : call.subcommand;
}
