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
    if (failure?.includes("test is skipped")) return test.context.skip();
    if (failure) return this.#session.add({ type: "useless", test: name, why: failure });
    const limitMs = patienceMs + 10 * (performance.now() - startMs);
    const reached = this.#session.takeReached();
    if (reached.length === 0) return;
    const again = await failureOf(run);
    if (again) return this.#session.add({ type: "useless", test: name, why: again });
    for (const mutant of reached) await this.#try(mutant, { name, run, limitMs });
  }

  override onAfterRunFiles(files?: RunnerTestFile[]): void {
    super.onAfterRunFiles();
    for (const { name } of files ?? []) this.#session.add({ type: "done", file: name });
  }

  async #try(
    mutant: string,
    test: { name: string; run: () => unknown; limitMs: number },
  ): Promise<void> {
    this.#session.add({ type: "try", mutant, test: test.name });
    this.#session.wake(mutant);
    const failure = await within(test.limitMs, failureOf(test.run));
    this.#session.wake(undefined);
    if (failure) this.#session.add({ type: "killed", mutant, test: test.name, why: failure });
    else this.#session.add({ type: "survived", mutant });
  }
}

function openSession(): Session {
  const plan = Plan.parse(JSON.parse(readFileSync(process.env.TROUPE_MUTATION_PLAN ?? "", "utf8")));
  globalThis.troupeMutants ??= new Session(plan);
  return globalThis.troupeMutants;
}

/** What makes a test fail: an exception, or an uncaught error in the meantime. */
async function failureOf(run: () => unknown): Promise<string | undefined> {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
  try {
    await run();
    // Unhandled rejections are reported after the promises of this turn.
    await setImmediate();
    return uncaught.length > 0 ? String(uncaught[0]) : undefined;
  } catch (error) {
    return String(error);
  } finally {
    process.off("unhandledRejection", note);
    process.off("uncaughtException", note);
  }
}

function within(limitMs: number, failure: Promise<string | undefined>) {
  return new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(resolve, limitMs, tookTooLong);
    void failure.then((text) => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}
