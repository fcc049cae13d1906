import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, writeSync } from "node:fs";
import { basename } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../lib/clock.ts";
import { orLate } from "../lib/wait.ts";
import type { ConfinedProgram, Sandbox } from "../sandbox/sandbox.ts";
import { HeldDescriptors } from "./held-descriptors.ts";
import { markedCommand } from "./marked-command.ts";
import { type CommandOwner, newMarker } from "./marker.ts";
import type { Pipes } from "./pipes.ts";
import { startOfProcess } from "./process-list.ts";
import { endTree, type ProcessTree } from "./process-tree.ts";
import type { Programs } from "./programs.ts";
import type { RunningCommands } from "./running-commands.ts";

/** What every start of a service needs of the team. */
export interface ServiceSurroundings {
  readonly clock: Clock;
  readonly pipes: Pipes;
  /** Finds the shell that sets the marker. */
  readonly programs: Pick<Programs, "find">;
  readonly running: RunningCommands;
  readonly owner: CommandOwner;
}

export interface ServiceStart {
  /** The path of the program, and its arguments. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What confines it (default: it runs as the person). */
  readonly sandbox: Sandbox | undefined;
}

/** How long a service has to exit by itself when its input ends. */
const exitMs = 1_000;

/**
 * A process that runs until it is ended, and is spoken to by its standard input and output. It and all that it
 * starts carry a marker, so that the next process of the team ends what this one leaves behind.
 */
export class ServiceProcess implements AsyncDisposable {
  readonly input: Writable;
  readonly output: Readable;
  readonly errors: Readable;
  /** Resolves when the program has exited, to a description of how. */
  readonly exited: Promise<string>;
  readonly #tree: ProcessTree;
  readonly #surroundings: ServiceSurroundings;
  #ending: Promise<void> | undefined;

  private constructor(child: PipedChild, tree: ProcessTree, surroundings: ServiceSurroundings) {
    this.input = child.stdin;
    this.output = child.stdout;
    this.errors = child.stderr;
    this.#tree = tree;
    this.#surroundings = surroundings;
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve(signal ? `by ${signal}` : `with code ${code}`));
    });
  }

  /** Throws where it cannot be started. */
  static async start(start: ServiceStart, given: ServiceSurroundings): Promise<ServiceProcess> {
    using held = new HeldDescriptors();
    const marker = newMarker(given.owner);
    const { argv, cwd, sandbox } = start;
    const confined = await sandbox?.confine({ argv, cwd });
    const inputs = await inputsOf(confined, held, given.pipes);
    const reports = Array.from({ length: confined?.reports ?? 0 }, () => held.hold(drain()));
    const shell = await given.programs.find("bash");
    const child = launch({ ...start, confined, inputs: [...inputs, ...reports], shell, marker });
    if (child.pid === undefined) throw (await once(child, "error"))[0];
    if (!isPiped(child)) throw new Error("A child that was started with pipes has none");
    const tree = { group: child.pid, marker, start: startOfProcess(child.pid) };
    given.running.add(tree);
    return new ServiceProcess(child, tree, given);
  }

  /** Ends its input, gives it a moment to exit, and then ends all that it has started. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    const { clock, running } = this.#surroundings;
    this.input.end();
    await orLate(this.exited, () => undefined, { clock, limitMs: exitMs });
    await endTree(this.#tree, clock);
    this.output.destroy();
    this.errors.destroy();
    running.remove(this.#tree);
  }
}

/** What the sandbox reads from further descriptors. */
async function inputsOf(
  confined: ConfinedProgram | undefined,
  held: HeldDescriptors,
  pipes: Pipes,
): Promise<number[]> {
  const inputs: number[] = [];
  for (const bytes of confined?.inputs ?? []) {
    const pipe = held.pipe(await pipes.take());
    writeSync(pipe.writer, bytes);
    held.close(pipe.writer);
    inputs.push(pipe.reader);
  }
  return inputs;
}

interface Launch extends ServiceStart {
  confined: ConfinedProgram | undefined;
  /** Its descriptors from 3 on. */
  inputs: readonly number[];
  shell: string;
  marker: string;
}

function launch({ argv, cwd, environment, confined, inputs, shell, marker }: Launch): ChildProcess {
  const started = confined
    ? { argv: confined.argv, lastDescriptor: 2 + inputs.length }
    : { argv, lastDescriptor: 2 };
  const name = basename(started.argv[0]);
  const marked = markedCommand({ shell, ...started, name, environment, marker });
  return spawn(marked.program, marked.argv, {
    argv0: name,
    cwd,
    env: marked.environment,
    // Its own group, so that Ctrl-C in the person's terminal does not end it.
    detached: true,
    stdio: ["pipe", "pipe", "pipe", ...inputs],
  });
}

/**
 * Nobody reads what the sandbox reports: that the program has exited is seen by its output. But it must be open: a sandbox
 * that cannot report does not start.
 */
function drain(): number {
  return openSync("/dev/null", "w");
}

type PipedChild = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };

function isPiped(child: ChildProcess): child is PipedChild {
  return child.stdin !== null && child.stdout !== null && child.stderr !== null;
}
