import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { providerEnvironment } from "./agent-on-wire.ts";
import { type Part, TeamOnWire } from "./team-on-wire.ts";

/** The program as it is published. */
const program = resolve("dist/cli/main.js");

/** A team in a process of its own, a dashboard in another one, and what the models say in the test's. */
export class DashboardScene implements AsyncDisposable {
  readonly wire: TeamOnWire;
  readonly #running: Running[] = [];

  private constructor(wire: TeamOnWire) {
    this.wire = wire;
  }

  static async open(parts: Record<string, Part>): Promise<DashboardScene> {
    return new DashboardScene(await TeamOnWire.start(parts));
  }

  /** Where the team lies, and whose state directory it is. */
  get env(): Record<string, string> {
    const { root, server } = this.wire;
    const own = {
      HOME: root,
      XDG_STATE_HOME: join(root, "state"),
      XDG_CACHE_HOME: join(root, "cache"),
    };
    return { PATH: process.env.PATH ?? "", ...own, ...providerEnvironment(server) };
  }

  /** `troupe --plain`: what is typed goes to the lead. */
  startTeam(...flags: string[]): Running {
    return this.run("--plain", "--model", "anthropic/scripted", ...flags);
  }

  /** `troupe web`, and the address it prints. */
  async startDashboard(...flags: string[]): Promise<Running & { address: string }> {
    const running = this.run("web", ...flags);
    return Object.assign(running, { address: await running.printed(/^http:\S+$/) });
  }

  run(...argv: string[]): Running {
    const running = new Running(argv, { cwd: this.wire.root, env: this.env });
    this.#running.push(running);
    return running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const running of this.#running) await running.kill();
    await this.wire[Symbol.asyncDispose]();
  }
}

/** A `troupe` that runs. */
export class Running {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exited: Promise<unknown>;
  readonly #lines: string[] = [];
  readonly #looks = new Set<() => void>();
  #isGone = false;

  constructor(argv: readonly string[], options: { cwd: string; env: Record<string, string> }) {
    this.#child = spawn(process.execPath, [program, ...argv], { ...options, stdio: "pipe" });
    this.#exited = once(this.#child, "exit").then(() => {
      this.#isGone = true;
      this.#look();
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        this.#lines.push(line);
        this.#look();
      });
    }
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** All it has printed, standard error too. */
  get text(): string {
    return this.#lines.join("\n");
  }

  type(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** The first line that it prints, or has printed, like this. */
  printed(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const line = this.#lines.find((text) => pattern.test(text));
        if (line === undefined && !this.#isGone) return;
        this.#looks.delete(look);
        if (line !== undefined) resolve(line);
        else reject(new Error(`It ended without ${pattern}:\n${this.text}`));
      };
      this.#looks.add(look);
      look();
    });
  }

  /** Ends it as nothing can be prepared for. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    this.#child.kill(signal);
    await this.#exited;
  }

  #look(): void {
    for (const look of [...this.#looks]) look();
  }
}
