import { type KnownArgument, knownValue } from "./commands/argument.ts";
import type { PlaceUse, ResolvedCommand } from "./commands/resolved-line.ts";
import { programName } from "./commands/wrappers.ts";
import { tampering } from "./guard.ts";
import type { JudgedCall, Subject } from "./judged-call.ts";
import { evadedRule, ruleOn } from "./line-rules.ts";
import { takesBack } from "./shared-directory.ts";

/**
 * Whether a line that is not allowed may be tried unasked in the sandbox, where it changes nothing, reaches nothing, and reads
 * only the workspace and programs. Not where the person has a rule about it, or where it is known that it needs
 * more: the question would only come later.
 */
export function mayBeTried(
  { rules, directories, isShared }: JudgedCall,
  subject: Extract<Subject, { type: "command" }>,
): boolean {
  const { line, text, leaving, isTriable } = subject;
  if (!isTriable || leaving !== undefined) return false;
  if (ruleOn(line, rules) || evadedRule(line, rules, ["deny", "ask"]) !== undefined) return false;
  if (tampering(text, line, directories)) return false;
  if (isShared && takesBack(text, line) !== undefined) return false;
  return !line.commands.some(needsMore);
}

function needsMore({ words, uses, opened, kind, directory }: ResolvedCommand): boolean {
  if (kind === "edits" || !directory.isInside || isRemote(words)) return true;
  const isChange = ({ use }: PlaceUse) => use === "write";
  if ([...uses, ...opened].some(({ place }) => !place.isInside)) return true;
  // Of a program that is not known, each word may be anything.
  return opened.some(isChange) || (kind === "reads" && uses.some(isChange));
}

/** Programs that change something or reach other processes in any case, or wait long where there is no network. */
const otherPrograms = `rm rmdir chmod chown ln dd truncate kill pkill killall sudo systemctl
  curl wget ssh scp sftp rsync docker podman kubectl gh apt apt-get brew`.split(/\s+/);

/** The subcommands with which others do. */
const remoteSubcommands: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["npm", "pnpm", "yarn", "bun"].map((name) => [
      name,
      "add audit ci create exec i info init install outdated publish update upgrade view",
    ]),
  ),
  ...{ cargo: "add install publish update", go: "get install mod", pip: "download install" },
  ...{ git: "clone fetch ls-remote pull push", uv: "add pip sync", poetry: "add install update" },
};

function isRemote(words: readonly KnownArgument[]): boolean {
  const name = programName(words[0]) ?? "";
  if (otherPrograms.includes(name)) return true;
  const subcommands = remoteSubcommands[name]?.split(" ") ?? [];
  return words.slice(1).some((word) => subcommands.includes(knownValue(word) ?? ""));
}
