import type { CommandRunner } from "../../processes/command-runner.ts";

export type SearchRunner = Pick<CommandRunner, "runProgram">;

export interface RipgrepOptions {
  runner: SearchRunner;
  arguments: readonly string[];
  /** The directory to work in. */
  cwd: string;
  signal: AbortSignal;
  /** Gets the output as it comes, and returns false when it needs no more. */
  onOutput(chunk: Buffer): boolean;
}

export type RipgrepEnd =
  | { type: "done" }
  /** The signal stopped it. */
  | { type: "aborted" }
  /** It could not do what was asked: a bad pattern, above all. */
  | { type: "failed"; message: string };

/** What every search has in common: nothing of the user's own settings, the same order always. */
const common = [
  "--no-config",
  "--no-messages",
  "--color=never",
  "--sort=path",
  "--hidden",
  "--no-require-git",
];

const notInstalled = "ripgrep is not installed. Search with a command, such as find or grep.";

/** Undefined where its program was left out: it comes in a package for each platform. */
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
