import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { hasErrno } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { onAbort } from "../lib/on-abort.ts";
import { orLate, wait } from "../lib/wait.ts";
import { reportsOf } from "../sandbox/reports-of.ts";
import type { ConfinedProgram } from "../sandbox/sandbox.ts";
import type { CommandEnd, RunningCommand } from "./command-runner.ts";
import type { OutputCapture } from "./output-capture.ts";
import {
  countRunning,
  endTree,
  isRunning,
  type ProcessTree,
  signalProcess,
} from "./process-tree.ts";
import type { RunningCommands } from "./running-commands.ts";

/** How long processes that the shell left behind may take to end, as `>(tee log)` does. */
const settleMs = 500;
/** The first pause between two looks for them, and the longest: those of a sandbox are gone in a moment. */
const firstPauseMs = 1;
const longestPauseMs = 50;
/** Within this time no machine starts so many processes that pids are used again. */
const newMs = 1_000;
/** How long output is read that no process of the command holds open. */
const abandonMs = 1_000;

/** The time between two looks at how many processes there are. */
const countMs = 100;

/** What keeps an output while it arrives. */
export type Capture = Pick<OutputCapture, "push" | "end" | "text">;

/** One output of a command. */
interface OutputPipe {
  readonly socket: Socket;
  readonly capture: Capture;
}

type Exit = Pick<CommandEnd, "exitCode" | "signal"> & Pick<CommandEnd, "ending">;

interface HostCommandOptions {
  child: ChildProcess;
  tree: ProcessTree;
  output: OutputPipe;
  /** Where its errors are apart from its output. */
  errors: OutputPipe | undefined;
  /** Set if it runs in a sandbox, which reports on the child's last descriptor. */
  confined: ConfinedProgram | undefined;
  clock: Clock;
  timeoutMs: number | undefined;
  signal: AbortSignal;
  running: RunningCommands;
  maxProcesses: number | undefined;
}

/** A command that has been started on this machine. */
export class HostCommand implements RunningCommand {
  readonly type = "running";
  readonly pid: number;
  readonly ended: Promise<CommandEnd>;
  readonly #options: HostCommandOptions;
  readonly #startedMs: number;
  readonly #exited: Promise<Exit>;
  readonly #drained: Promise<void>;

  constructor(options: HostCommandOptions) {
    const { tree, running } = options;
    this.pid = tree.group;
    this.#options = options;
    this.#startedMs = options.clock.monotonicMs();
    this.#exited = exitOf(options);
    this.#drained = this.#drainAll();
    running.add(tree);
    this.ended = Promise.all([this.#watch(), this.#drained])
      .then(([end]) => end)
      .finally(() => running.remove(tree));
  }

  output(): string {
    return this.#options.output.capture.text();
  }

  async #watch(): Promise<CommandEnd> {
    const { tree, clock, output, errors, confined, timeoutMs } = this.#options;
    const ending = await this.#firstEnding();
    // Asked to end, they would start more of them meanwhile.
    if (ending === "crowded") signalProcess(-tree.group, "SIGKILL");
    const leftovers = ending === "exited" ? await this.#endLeftovers() : 0;
    if (ending !== "exited") await endTree(tree, clock);
    if (!(await settlesWithin(this.#drained, abandonMs, clock))) {
      output.socket.destroy();
      errors?.socket.destroy();
      await this.#drained;
    }
    // The exit of a killed command is not awaited: a process that hangs in the kernel never exits.
    const exit =
      ending === "exited" ? await this.#exited : { ending, exitCode: null, signal: null };
    const appeared = (await confined?.appeared()) ?? [];
    const refusedHosts = confined?.refusedHosts() ?? [];
    const told = { leftovers, appeared, refusedHosts, output: output.capture.text() };
    const apart = errors && { errors: errors.capture.text() };
    return { type: "ended", timeoutMs, ...exit, ...told, ...apart };
  }

  async #firstEnding(): Promise<CommandEnd["ending"]> {
    const { clock, timeoutMs, signal } = this.#options;
    let cancelTimeout = () => {};
    let stopWaiting = () => {};
    const timeout = new Promise<"timeout">((resolve) => {
      if (timeoutMs === undefined) return;
      cancelTimeout = clock.schedule(timeoutMs, () => resolve("timeout"));
    });
    const abort = new Promise<"aborted">((resolve) => {
      stopWaiting = onAbort(signal, () => resolve("aborted"));
    });
    const exit = this.#exited.then(() => "exited" as const);
    const over = new AbortController();
    try {
      return await Promise.race([abort, timeout, exit, this.#crowd(over.signal)]);
    } finally {
      over.abort();
      cancelTimeout();
      stopWaiting();
    }
  }

  /** Resolves when there are too many processes, if ever. */
  async #crowd(over: AbortSignal): Promise<"crowded"> {
    const { tree, clock, maxProcesses } = this.#options;
    if (maxProcesses === undefined) return new Promise(() => undefined);
    while (!over.aborted) {
      await wait(clock, countMs, over).catch(() => undefined);
      if (!over.aborted && (await countRunning(tree)) > maxProcesses) return "crowded";
    }
    return new Promise(() => undefined);
  }

  /** Ends all processes of the command, daemons too: otherwise they would continue unnoticed. */
  async #endLeftovers(): Promise<number> {
    const { tree, clock } = this.#options;
    if (await settlesWithin(this.#drained, settleMs, clock)) {
      let pauseMs = firstPauseMs;
      for (let waitedMs = 0; waitedMs < settleMs; waitedMs += pauseMs) {
        const isNew = clock.monotonicMs() - this.#startedMs < newMs;
        if (!(await isRunning(tree, { isNew }))) return 0;
        await wait(clock, pauseMs);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
    return endTree(tree, clock);
  }

  async #drainAll(): Promise<void> {
    const { output, errors } = this.#options;
    await Promise.all([drain(output), errors && drain(errors)]);
  }
}

/** Continues reading only when the last output is stored: the command waits meanwhile. */
async function drain({ socket, capture }: OutputPipe): Promise<void> {
  const decoder = new StringDecoder("utf8");
  try {
    for await (const chunk of socket) {
      const bytes: Buffer = chunk;
      await capture.push(decoder.write(bytes));
    }
  } catch (error) {
    // This error is expected when the output is abandoned.
    if (!hasErrno(error, "ERR_STREAM_PREMATURE_CLOSE")) throw error;
  }
  await capture.push(decoder.end());
  await capture.end();
}

/** Resolves when the child has exited and, if it ran in a sandbox, this has reported how. */
async function exitOf({ child, confined }: HostCommandOptions): Promise<Exit> {
  const exit = new Promise<Exit>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ ending: "exited", exitCode, signal }));
  });
  if (!confined) return exit;
  const [reports, own] = await Promise.all([reportsOf(child, confined), exit]);
  const { signal } = own;
  const { started, exitCode } = confined.outcome(reports);
  if (started) return exitCode === undefined ? own : { ending: "exited", exitCode, signal: null };
  // One that was killed may have run before.
  return { ending: signal ? "exited" : "unconfined", exitCode: null, signal };
}

function settlesWithin(promise: Promise<void>, limitMs: number, clock: Clock): Promise<boolean> {
  const settled = promise.then(() => true);
  return orLate(settled, () => false, { clock, limitMs });
}
