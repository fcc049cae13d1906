import type { CommandRunner, ProgramRequest } from "../../processes/command-runner.ts";

export type SearchRunner = Pick<CommandRunner, "runProgram">;

export interface RipgrepOptions extends Omit<ProgramRequest, "path"> {
  runner: SearchRunner;
}

export type RipgrepEnd =
  | { type: "done" }
  /** The signal stopped it. */
  | { type: "aborted" }
  /** The search was not possible, usually because of a bad pattern. */
  | { type: "failed"; message: string };

/** Arguments of every search: they ignore the user's settings and fix the order. */
const common = [
  "--no-config",
  "--no-messages",
  "--color=never",
  "--sort=path",
  "--hidden",
  "--no-require-git",
];

const notInstalled = "ripgrep is not installed. Search with a command, such as find or grep.";

/** Undefined if its program is not installed: it comes in a package for each platform. */
export async function findRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return rgPath;
  } catch (error) {
    if (error instanceof Error && error.message.includes("optionalDependencies")) return undefined;
    throw error;
  }
}

/** Runs ripgrep to its end, or until its output is enough. */
export async function runRipgrep(options: RipgrepOptions): Promise<RipgrepEnd> {
  const { runner, cwd, signal, onOutput } = options;
  if (signal.aborted) return { type: "aborted" };
  const path = await findRipgrep();
  if (path === undefined) return { type: "failed", message: notInstalled };
  const end = await runner.runProgram({
    ...{ path, cwd, signal, onOutput },
    arguments: [...common, ...options.arguments],
  });
  switch (end.type) {
    case "aborted":
      return end;
    case "not-started":
      return { type: "failed", message: `The search could not be started ${end.problem}` };
    case "ended":
      if (end.errors === "") return { type: "done" };
      return { type: "failed", message: end.errors.replace(/^rg: /, "").trim() };
  }
}
