import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { z } from "zod";

/** What a run of the tests is told. */
export const Plan = z.object({
  /** Where the run writes what happens. */
  log: z.string(),
  /** Test files, in the order in which they are to run. */
  files: z.array(z.string()),
  /** The mutants to try. */
  mutants: z.array(z.string()),
  /** The one that is awake all the time, from the loading of the modules on; then no other is tried. */
  awake: z.string().optional(),
});
export type Plan = z.infer<typeof Plan>;

/** One line of the log. */
export const Line = z.discriminatedUnion("type", [
  /** A test fails without any mutant, or when it runs again: it tells nothing about mutants. */
  z.object({ type: z.literal("useless"), test: z.string(), why: z.string() }),
  /** The code came by a mutant. */
  z.object({ type: z.literal("reached"), mutant: z.string() }),
  /** A mutant is about to be woken. Where the run ends here, it was the mutant's doing. */
  z.object({ type: z.literal("try"), mutant: z.string(), test: z.string() }),
  z.object({ type: z.literal("survived"), mutant: z.string() }),
  z.object({ type: z.literal("killed"), mutant: z.string(), test: z.string() }),
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

  /** Written before it returns: the next thing may be the end of the process. */
  add(line: Line): void {
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
  }

  read(): Line[] {
    if (!existsSync(this.path)) return [];
    const lines = readFileSync(this.path, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => Line.parse(JSON.parse(line)));
  }
}
