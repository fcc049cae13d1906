import type { Argument } from "./argument.ts";
import type { DirectoryRoutes } from "./directory-routes.ts";

/** The commands of a line, as far as parsing finds them. */
export interface LineCommands {
  readonly commands: readonly SimpleCommand[];
  /** False when there are commands in it that were not found. */
  readonly isWhole: boolean;
  /** How it runs a program that it does not name, if it does. */
  readonly hiddenProgram: string | undefined;
  /** Why the line as a whole cannot be judged; empty when it can. */
  readonly doubts: readonly string[];
}

/** One program with its arguments, anywhere in the line. */
export interface SimpleCommand {
  /** The program first. Empty where only files are opened, as in `> file`. */
  readonly words: readonly Argument[];
  /** The same command with what it was wrapped in, outermost first: `sudo env X=1 rm` and `env X=1 rm`. */
  readonly wrappings: readonly (readonly Argument[])[];
  readonly opened: readonly OpenedFile[];
  /**
   * Patterns that the shell expands besides its words: the values of arrays, the list of a loop.
   */
  readonly listed: readonly Argument[];
  /** The directories it may run in, each as the steps of `cd` that lead there. */
  readonly routes: DirectoryRoutes;
  /** Why no rule can cover it, because of something besides its words. */
  readonly doubt: string | undefined;
  /** Why only a rule for its exact words, wrappings included, can cover it. */
  readonly caution: string | undefined;
}

/** A file the shell itself opens for a command. */
export interface OpenedFile {
  readonly use: "read" | "write";
  readonly target: Argument;
}
