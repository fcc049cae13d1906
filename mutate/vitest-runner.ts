import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { type RunnerTestCase, type RunnerTestFile, TestRunner } from "vitest";
import { Plan, tookTooLong } from "./log.ts";
import { Session } from "./session.ts";

declare global {
  var troupeMutants: Session | undefined;
}

/** The extra time of a test with a mutant, in addition to ten times its time without. */
const patienceMs = 5_000;

/**
 * Runs each test without a mutant first, and then once with each living mutant that the test came
 * by. The tests have no hooks and make all they need themselves, so that they can run again.
 */
export default class MutatingRunner extends TestRunner {
  readonly #session = openSession();

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test);
    const name = `${test.file.name} > ${test.name}`;
    if (this.#session.isUseless(name)) return;
    if (this.#session.plan.awake) return run();

    this.#session.takeReached();
    const startMs = performance.now();
    const failure = await failureOf(run);
    if (failure?.why.includes("test is skipped")) return test.context.skip();
    if (failure) return this.#giveUp(name, failure);
    const limitMs = patienceMs + 10 * (performance.now() - startMs);
    const reached = this.#session.takeReached();
    if (reached.length === 0) return;
    const again = await failureOf(run);
    if (again) return this.#giveUp(name, again);
    for (const mutant of reached) await this.#try(mutant, { name, run, limitMs });
  }

  override onAfterRunFiles(files?: RunnerTestFile[]): void {
    super.onAfterRunFiles();
    for (const { name } of files ?? []) this.#session.add({ type: "done", file: name });
  }

  #giveUp(test: string, { why, isStray }: Failure): void {
    if (isStray) this.#session.leave(test, why);
    else this.#session.add({ type: "useless", test, why });
  }

  async #try(mutant: string, test: TriedTest): Promise<void> {
    this.#session.add({ type: "try", mutant, test: test.name });
    const failure = await this.#confirmed(mutant, test);
    if (failure) {
      this.#session.add({ type: "killed", mutant, test: test.name, why: failure.why });
    } else this.#session.add({ type: "survived", mutant });
  }

  /** A stray error may be of an earlier mutant: it counts if it comes again, and only with this one. */
  async #confirmed(mutant: string, test: TriedTest): Promise<Failure | undefined> {
    const failure = await this.#failureWith(mutant, test);
    if (!failure?.isStray) return failure;
    const without = await failureOf(test.run);
    if (without) this.#session.leave(test.name, without.why);
    return without ? undefined : this.#failureWith(mutant, test);
  }

  async #failureWith(mutant: string, { run, limitMs }: TriedTest): Promise<Failure | undefined> {
    this.#session.wake(mutant);
    const failure = await within(limitMs, failureOf(run));
    this.#session.wake(undefined);
    return failure;
  }
}

function openSession(): Session {
  const plan = Plan.parse(JSON.parse(readFileSync(process.env.TROUPE_MUTATION_PLAN ?? "", "utf8")));
  globalThis.troupeMutants ??= new Session(plan);
  return globalThis.troupeMutants;
}

interface TriedTest {
  name: string;
  run: () => unknown;
  limitMs: number;
}

interface Failure {
  why: string;
  /** True for an error that the test itself did not throw. */
  isStray: boolean;
}

/** What makes a test fail: an exception, or an uncaught error in the meantime. */
async function failureOf(run: () => unknown): Promise<Failure | undefined> {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
  try {
    await run();
    // Unhandled rejections are reported after the promises of this turn.
    await setImmediate();
    return uncaught.length > 0 ? { why: String(uncaught[0]), isStray: true } : undefined;
  } catch (error) {
    return { why: String(error), isStray: false };
  } finally {
    process.off("unhandledRejection", note);
    process.off("uncaughtException", note);
  }
}

function within(limitMs: number, failing: Promise<Failure | undefined>) {
  return new Promise<Failure | undefined>((resolve) => {
    const timer = setTimeout(resolve, limitMs, { why: tookTooLong, isStray: false });
    void failing.then((failure) => {
      clearTimeout(timer);
      resolve(failure);
    });
  });
}
