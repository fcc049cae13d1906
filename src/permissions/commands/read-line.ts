import { hasPatternSign } from "./argument.ts";
import { findCommands } from "./find-commands.ts";
import type { LineCommands } from "./line-commands.ts";
import { parseLine } from "./parse-line.ts";
import { resolveLine } from "./resolve-line.ts";
import type { LineContext, ResolvedLine } from "./resolved-line.ts";
import { isPlainLocale, type ShellEnvironment } from "./variables.ts";

/** Finds every command of a line, and resolves its paths. */
export async function readLine(command: string, context: LineContext): Promise<ResolvedLine> {
  const { environment } = context;
  const { real } = await context.locate(".");
  // The shell keeps the name by which its directory was reached, or takes the real one.
  const { PWD = "" } = environment;
  const directory = hasPatternSign(PWD) ? PWD : real;
  return resolveLine(parse(command, { ...environment, PWD: directory }), context);
}

function parse(command: string, environment: ShellEnvironment): LineCommands {
  try {
    if (!isPlainLocale(environment) && /[^\t\n -~]/.test(command)) {
      return unreadable("bash reads it in another encoding than UTF-8");
    }
    const parsed = parseLine(command);
    if (parsed.type === "parsed") return findCommands(parsed.script, environment);
    return unreadable(parsed.reason);
  } catch (error) {
    // The parser gets any text that a model writes. If it fails, a person is asked.
    const reason = error instanceof Error ? error.message : String(error);
    return unreadable(`it cannot be parsed as bash (${reason})`);
  }
}

function unreadable(reason: string): LineCommands {
  return { commands: [], doubts: [reason], isWhole: false, hiddenProgram: undefined };
}
