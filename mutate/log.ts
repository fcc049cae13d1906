import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { z } from "zod";

/** The input of a test run. */
export const Plan = z.object({
  /** The file for the log. */
  log: z.string(),
  /** Test files, in the order in which they run. */
  files: z.array(z.string()),
  /** The mutants to try. */
  mutants: z.array(z.string()),
  /**
   * The mutant that is active all the time, from the loading of the modules on; then no other is
   * tried.
   */
  awake: z.string().optional(),
});
export type Plan = z.infer<typeof Plan>;

/** Reasons of a kill that a loaded machine may cause, too. */
export const tookTooLong = "The test took too long";
export const processEnded = "The process ended";

/** One line of the log. */
export const Line = z.discriminatedUnion("type", [
  /** A test fails without any mutant, or when it runs again: it says nothing about mutants. */
  z.object({ type: z.literal("useless"), test: z.string(), why: z.string() }),
  /** An error of an earlier mutant's leftovers came up in a test. The run is continued in a new process. */
  z.object({ type: z.literal("tainted"), test: z.string(), why: z.string() }),
  /** The code reached a mutant. */
  z.object({ type: z.literal("reached"), mutant: z.string() }),
  /** A mutant is about to be activated. If the run ends here, the mutant caused it. */
  z.object({ type: z.literal("try"), mutant: z.string(), test: z.string() }),
  z.object({ type: z.literal("survived"), mutant: z.string() }),
  z.object({ type: z.literal("killed"), mutant: z.string(), test: z.string(), why: z.string() }),
  z.object({ type: z.literal("done"), file: z.string() }),
]);
export type Line = z.infer<typeof Line>;

export class Log {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get length(): number {
    return existsSync(this.path) ? statSync(this.path).size : 0;
  }

  /** Written synchronously: the process may end next. */
  add(line: Line): void {
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
  }

  read(): Line[] {
    if (!existsSync(this.path)) return [];
    const lines = readFileSync(this.path, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => Line.parse(JSON.parse(line)));
  }
}
