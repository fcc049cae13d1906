import { spawnSync } from "node:child_process";

/**
 * Why tests cannot run here, undefined where they can. With `ALL_TESTS=required`, as in CI, a program
 * that is missing is a failure: a run that skips them would be green and prove nothing.
 */
export function missing(reason: string | undefined): string | undefined {
  if (reason !== undefined && process.env.ALL_TESTS === "required") throw new Error(reason);
  return reason;
}

/** The same for a program that has only to be there. */
export function missingProgram(program: string, remedy: string): string | undefined {
  const isThere = spawnSync(program, ["--version"]).error === undefined;
  return missing(isThere ? undefined : `${program} is not installed here: ${remedy}`);
}
