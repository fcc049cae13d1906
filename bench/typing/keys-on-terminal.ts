import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Child } from "../lib/child.ts";
import type { Workbench } from "../lib/workbench.ts";
import { StreamingState } from "./contract.ts";

const keys = 200;
const betweenKeysMs = 50;
const lineLength = 40;
const piecesPerSecond = 20;

/** How long each of many keys takes in the built program on a terminal, in milliseconds. */
export async function measureOnTerminal(
  workbench: Workbench<"provider">,
  members: number,
): Promise<number[]> {
  await using provider = await workbench.start("provider", { members, piecesPerSecond });
  const directory = await workbench.directory(`writers-${members}`);
  const { url } = await provider.ask({}, StreamingState);
  const terminal = new Terminal(startProgram(directory, url));
  await terminal.shows("›");
  if (members > 0) {
    terminal.type("Go.\r");
    await allStream(provider, members);
  }
  const samples = await typeKeys(terminal);
  await terminal.end();
  return samples;
}

async function typeKeys(terminal: Terminal): Promise<number[]> {
  const samples: number[] = [];
  for (let count = 0; count < keys; count++) {
    const typed = 1 + (count % lineLength);
    // Ctrl-U empties the line.
    if (typed === 1) terminal.type("\x15");
    await setTimeout(betweenKeysMs);
    const echo = terminal.shows("k".repeat(typed));
    const start = performance.now();
    terminal.type("k");
    await echo;
    samples.push(performance.now() - start);
  }
  return samples;
}

async function allStream(provider: Child, members: number): Promise<void> {
  for (;;) {
    const { streaming } = await provider.ask({}, StreamingState);
    if (streaming === members) return;
    await setTimeout(20);
  }
}

/** The built program on a terminal that util-linux's `script` makes. */
function startProgram(directory: string, url: string): ChildProcess {
  const program = resolve("dist/cli/main.js");
  const command = `stty rows 40 cols 120; exec '${process.execPath}' '${program}'`;
  return spawn("script", ["-qec", command, "/dev/null"], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      TERM: "xterm-256color",
      HOME: directory,
      XDG_STATE_HOME: join(directory, "state"),
      XDG_CACHE_HOME: join(directory, "cache"),
      TROUPE_MODEL: "anthropic/streaming",
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-of-a-benchmark",
    },
    stdio: "pipe",
  });
}

class Terminal {
  readonly #child: ChildProcess;
  /** Rejects when the program ends, which it does not do by itself. */
  readonly #ended: Promise<never>;
  #output = "";
  #expected: { text: string; resolve(): void } | undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, "exit").then(() => {
      throw new Error("The program has ended");
    });
    this.#ended.catch(() => undefined);
    child.stdout?.setEncoding("utf8");
    child.stdout?.on("data", (text: string) => {
      this.#output += text;
      if (!this.#expected || !this.#output.includes(this.#expected.text)) return;
      this.#expected.resolve();
      this.#expected = undefined;
    });
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Resolves when `text` is written from now on. */
  shows(text: string): Promise<void> {
    this.#output = "";
    const shown = new Promise<void>((resolve) => {
      this.#expected = { text, resolve };
    });
    return Promise.race([shown, this.#ended]);
  }

  async end(): Promise<void> {
    const exit = once(this.#child, "exit");
    this.#child.kill();
    await exit;
  }
}
