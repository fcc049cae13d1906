import type { Argument, FilePattern } from "./argument.ts";

/** How a directory is reached: the steps of `cd` that lead there. */
export type DirectoryRoute = readonly (string | FilePattern)[];

/** The ways to all directories that a shell may be in. */
export type DirectoryRoutes = readonly DirectoryRoute[];

/** The directories a shell may be in after a command that succeeded, and after one that failed. */
export interface DirectoryOutcome {
  readonly success: DirectoryRoutes;
  readonly failure: DirectoryRoutes;
}

/** The outcome of what changes no directory. */
export function staying(routes: DirectoryRoutes): DirectoryOutcome {
  return { success: routes, failure: routes };
}

export function eitherWay({ success, failure }: DirectoryOutcome): DirectoryRoutes {
  return merged(success, failure);
}

export function merged(some: DirectoryRoutes, others: DirectoryRoutes): DirectoryRoutes {
  const known = new Map([...some, ...others].map((route) => [JSON.stringify(route), route]));
  return [...known.values()];
}

/** The target of `cd` by its operand, unless only the shell knows it, as for `/proc/self`. */
export function directoryStep(operand: Argument | undefined): string | FilePattern | undefined {
  if (operand?.type === "pattern") return operand;
  return operand?.type === "literal" && !/^[-~]|^$|^\/proc\//.test(operand.value)
    ? operand.value
    : undefined;
}
