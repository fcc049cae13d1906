import { findCommands } from "./find-commands.ts";
import type { Line } from "./line.ts";
import { parseLine } from "./parse-line.ts";
import { type ResolvedLine, resolveLine } from "./resolve-line.ts";

/** Finds every command of a line as a model writes it, and where the paths in it lead. */
export function readLine(
  command: string,
  locate: Parameters<typeof resolveLine>[1],
): Promise<ResolvedLine> {
  return resolveLine(parse(command), locate);
}

function parse(command: string): Line {
  try {
    const parsed = parseLine(command);
    if (parsed.type === "parsed") return findCommands(parsed.script);
    return unreadable(parsed.reason);
  } catch (error) {
    // The parser meets whatever a model writes. Where it gives up, a person has to look.
    const reason = error instanceof Error ? error.message : String(error);
    return unreadable(`it cannot be parsed as bash (${reason})`);
  }
}

function unreadable(reason: string): Line {
  return { commands: [], doubts: [reason], isWhole: false, untold: undefined };
}
