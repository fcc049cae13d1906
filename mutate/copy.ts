import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TemporaryDirectory, temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { Log, type Plan } from "./log.ts";
import type { Mutant } from "./mutants.ts";
import { weave } from "./weave.ts";

/** If the log has no new line for this long, a test hangs beyond its own timeout. */
const longestSilenceMs = 180_000;
/** The limit of one file, in blocks of 512 or 1,024 bytes. */
const limits = "ulimit -f 400000; ulimit -c 0";
const isLoud = process.env.TROUPE_MUTATE_LOUD !== undefined;
const notCopied = /^(?:node_modules|dist|\.git|\.team)$/;

/**
 * A throw-away copy of the repository with mutants in it. Its tests run in a sandbox that can write
 * nothing else and reach nobody: a mutant may do anything, also to the machine.
 */
export class Copy implements AsyncDisposable {
  readonly #directory: TemporaryDirectory;
  readonly #repository: string;

  private constructor(directory: TemporaryDirectory, repository: string) {
    this.#directory = directory;
    this.#repository = repository;
  }

  static async make(repository: string, names: readonly string[]): Promise<Copy> {
    const directory = await temporaryDirectory();
    for (const name of names.filter((it) => !notCopied.test(it))) {
      await cp(join(repository, name), join(directory.path, name), { recursive: true });
    }
    for (const name of ["node_modules", "dist"]) await mkdir(join(directory.path, name));
    return new Copy(directory, repository);
  }

  /** Inserts mutants into their files, and removes all others from these. */
  async put(mutantsByPath: ReadonlyMap<string, readonly Mutant[]>): Promise<void> {
    for (const [path, mutants] of mutantsByPath) {
      const source = await readFile(join(this.#repository, path), "utf8");
      await writeFile(join(this.#directory.path, path), weave(source, mutants));
    }
  }

  /** The log of the runs so far. */
  get log(): Log {
    return new Log(join(this.#directory.path, "log.jsonl"));
  }

  /** Runs the tests of a plan. Resolves to the exit code; undefined if they hung. */
  async run(plan: Omit<Plan, "log">, ...words: string[]): Promise<number | undefined> {
    const { path } = this.#directory;
    await writeFile(join(path, "plan.json"), JSON.stringify({ ...plan, log: this.log.path }));
    const config = ["--config", "mutate/vitest.config.ts", "--configLoader", "runner"];
    const vitest = ["node_modules/vitest/vitest.mjs", ...words, ...config];
    const child = spawn("bwrap", [...this.#sandbox(), process.execPath, ...vitest], {
      stdio: ["ignore", isLoud ? "inherit" : "ignore", isLoud ? "inherit" : "ignore"],
    });
    const stopWatching = this.#watch(() => child.kill("SIGKILL"));
    try {
      const [code] = await once(child, "exit");
      return code ?? undefined;
    } finally {
      stopWatching();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#directory[Symbol.asyncDispose]();
  }

  #sandbox(): string[] {
    const { path } = this.#directory;
    const shared = ["node_modules", "dist"].flatMap((name) => {
      return ["--ro-bind", join(this.#repository, name), join(path, name)];
    });
    return [
      ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
      ...["--unshare-all", "--die-with-parent", "--new-session"],
      ...["--size", String(2 ** 30), "--tmpfs", "/tmp", "--bind", path, path, ...shared],
      ...["--chdir", path, "--setenv", "TMPDIR", "/tmp", "--setenv", "HOME", "/tmp"],
      ...["--setenv", "TROUPE_MUTATION_PLAN", join(path, "plan.json")],
      ...["--", "/bin/bash", "-c", `${limits}; exec "$@"`, "bash"],
    ];
  }

  /** Calls `onSilence` when the log no longer grows. */
  #watch(onSilence: () => void): () => void {
    let length = -1;
    let sinceMs = performance.now();
    const timer = setInterval(() => {
      const now = this.log.length;
      if (now !== length) sinceMs = performance.now();
      length = now;
      if (performance.now() - sinceMs > longestSilenceMs) onSilence();
    }, 1_000);
    return () => clearInterval(timer);
  }
}
