import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { hasErrno } from "../../src/errors.ts";
import { type LifeOptions, placesIn } from "./contract.ts";

/** How far a life has come. */
export interface Steps {
  /** Runs of git. */
  runs: number;
  /** Those that move a ref. */
  moves: number;
}

/** A process of the runtime that may be killed at any moment. Disposing waits for its end. */
export class Life implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;
  #steps: Steps = { runs: 0, moves: 0 };
  #onStep = () => {};

  constructor(program: string, options: LifeOptions) {
    const { temporary } = placesIn(options.directory);
    this.#child = spawn(process.execPath, [program, JSON.stringify(options)], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#exited = once(this.#child, "close");
    this.#child.stdout?.setEncoding("latin1").on("data", (text: string) => {
      this.#steps.runs += text.length;
      this.#steps.moves += text.split("!").length - 1;
      this.#onStep();
    });
  }

  /** Resolves when it has begun that many of them, or has ended: then to true. */
  async reaches(kind: keyof Steps, number: number): Promise<boolean> {
    const isThere = new Promise<boolean>((resolve) => {
      this.#onStep = () => this.#steps[kind] >= number && resolve(false);
      this.#onStep();
    });
    return await Promise.race([isThere, this.#exited.then(() => true)]);
  }

  /** Kills it, with the git that it runs or without. False where it has ended by itself before. */
  async kill({ isWithGit }: { isWithGit: boolean }): Promise<boolean> {
    const started = isWithGit ? await descendantsOf(this.#child.pid ?? 0) : [];
    this.#child.kill("SIGKILL");
    for (const pid of started) end(pid);
    const [, signal] = await this.#exited;
    return signal === "SIGKILL";
  }

  /** Resolves to its steps when it has ended by itself; throws if it failed. */
  async ended(): Promise<Steps> {
    const [code, signal] = await this.#exited;
    if (code !== 0) throw new Error(`A life has ended with ${code ?? signal}`);
    return this.#steps;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill({ isWithGit: false });
  }
}

async function descendantsOf(ancestor: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const pid of (await readdir("/proc")).map(Number).filter(Number.isInteger)) {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
    const [, parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    parents.set(pid, Number(parent));
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0;
    return parent === ancestor || (parent > 1 && isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!hasErrno(error, "ESRCH")) throw error;
  }
}
