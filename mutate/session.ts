import { type Line, Log, type Plan, processEnded } from "./log.ts";

/** A mutant that is reached more often than this is in an endless loop. */
const mostPasses = 200_000;

/** The state shared by instrumented code and the test runner. One for each process. */
export class Session {
  readonly plan: Plan;
  readonly #log: Log;
  readonly #alive: Set<string>;
  readonly #everReached = new Set<string>();
  readonly #useless = new Set<string>();
  readonly #tainted = new Set<string>();
  #reached = new Set<string>();
  #awake: string | undefined;
  #passes = 0;

  constructor(plan: Plan) {
    this.plan = plan;
    this.#log = new Log(plan.log);
    this.#alive = new Set(plan.mutants);
    this.#awake = plan.awake;
    const lines = this.#log.read();
    for (const line of lines) this.#note(line);
    // The previous process ended while a mutant was active, and because of it.
    const last = lines.at(-1);
    if (last?.type === "try") this.add({ ...last, type: "killed", why: processEnded });
  }

  isAwake(id: string): boolean {
    this.#reached.add(id);
    if (id !== this.#awake) return false;
    this.#passes++;
    if (this.#passes > mostPasses && !this.plan.awake) throw new Error(`Without end: ${id}`);
    return true;
  }

  wake(id: string | undefined): void {
    this.#awake = id;
    this.#passes = 0;
  }

  isUseless(test: string): boolean {
    return this.#useless.has(test);
  }

  /** Ends the process, of which an earlier mutant has left something running: once for each test. */
  leave(test: string, why: string): void {
    const isRepeated = this.#tainted.has(test);
    this.add({ type: isRepeated ? "useless" : "tainted", test, why });
    if (!isRepeated) process.kill(process.pid, "SIGKILL");
  }

  /** The live mutants that the code has reached since the last call. */
  takeReached(): string[] {
    const reached = [...this.#reached].filter((id) => this.#alive.has(id));
    this.#reached = new Set();
    for (const mutant of reached) {
      if (!this.#everReached.has(mutant)) this.add({ type: "reached", mutant });
    }
    return reached;
  }

  add(line: Line): void {
    this.#log.add(line);
    this.#note(line);
  }

  #note(line: Line): void {
    if (line.type === "useless") this.#useless.add(line.test);
    if (line.type === "tainted") this.#tainted.add(line.test);
    if (line.type === "reached") this.#everReached.add(line.mutant);
    if (line.type === "killed") this.#alive.delete(line.mutant);
  }
}
