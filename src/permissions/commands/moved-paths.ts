import { contains } from "../../lib/contains.ts";
import { filePrograms } from "./changing-programs.ts";
import type { PlaceUse, ResolvedCommand } from "./resolved-line.ts";
import { programName } from "./wrappers.ts";

const reason = "its paths may lead elsewhere once another command of the line has run";

/**
 * Paths were resolved before anything ran. A command whose paths may be changed by another command
 * of its line, by moving links, gets a caution.
 */
export function flagMovedPaths(commands: readonly ResolvedCommand[]): ResolvedCommand[] {
  const movers = commands.flatMap((command, index) =>
    command.moves === "nothing" ? [] : [{ command, index }],
  );
  return commands.map((command, index) => {
    const isMoved = movers.some(
      (mover) => mover.command !== command && isMovedBy(mover, { command, index }),
    );
    return isMoved ? { ...command, isMoved, caution: command.caution ?? reason } : command;
  });
}

interface Positioned {
  readonly command: ResolvedCommand;
  readonly index: number;
}

function isMovedBy(mover: Positioned, { command, index }: Positioned): boolean {
  const name = programName(command.words[0]) ?? "";
  const uses = [...command.uses, ...command.opened];
  const isEarlier = index < mover.index;
  if (mover.command.moves === "anything") {
    // Git itself goes through no link. Other programs run what is in the workspace, whatever it is.
    const isJudgedByPaths = command.kind !== "runs" || Object.hasOwn(filePrograms, name);
    const named = isJudgedByPaths && name !== "git" ? uses : command.opened;
    return !isEarlier && named.length > 0;
  }
  // Removing files first is usual. Other commands may also run later: in a loop, or in the
  // background.
  if (isEarlier && /^(mkdir|rm)$/.test(name)) return false;
  const roots = mover.command.uses.filter(({ use }) => use === "write");
  return (
    roots.some(({ place }) => contains(place.real, command.directory.real)) ||
    uses.some((use) => isUnder(use, roots))
  );
}

function isUnder({ path, place }: PlaceUse, roots: readonly PlaceUse[]): boolean {
  const isClimbing = path.split("/").includes("..");
  return isClimbing || roots.some((root) => contains(root.place.real, place.real));
}
