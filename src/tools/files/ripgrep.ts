import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { onAbort } from "../../lib/on-abort.ts";

const maxErrorCharacters = 1000;
/** More than a child with two pipes takes while it is started. */
const neededDescriptors = 8;

export interface RipgrepOptions {
  arguments: readonly string[];
  /** The directory to work in. */
  cwd: string;
  signal: AbortSignal;
  /** Gets the output as it comes, and returns false when it needs no more. */
  onOutput(chunk: Buffer): boolean;
}

export type RipgrepEnd =
  | { type: "done" }
  /** The signal stopped it. */
  | { type: "aborted" }
  /** It could not do what was asked: a bad pattern, above all. */
  | { type: "failed"; message: string };

/** What every search has in common: nothing of the user's own settings, the same order always. */
const common = [
  "--no-config",
  "--no-messages",
  "--color=never",
  "--sort=path",
  "--hidden",
  "--no-require-git",
];

const notInstalled = "ripgrep is not installed. Search with a command, such as find or grep.";

/** Undefined where its program was left out: it comes in a package for each platform. */
export async function findRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return rgPath;
  } catch (error) {
    if (error instanceof Error && error.message.includes("optionalDependencies")) return undefined;
    throw error;
  }
}

/** Runs ripgrep to its end, or until its output is enough. */
export async function runRipgrep(options: RipgrepOptions): Promise<RipgrepEnd> {
  const { signal, onOutput } = options;
  if (signal.aborted) return { type: "aborted" };
  const program = await findRipgrep();
  if (program === undefined) return { type: "failed", message: notInstalled };
  const child = start(program, options);
  if (child instanceof Error) return notStarted(child);
  const closed = closeOf(child);
  const stop = () => child.kill("SIGKILL");
  const stopWaiting = onAbort(signal, stop);
  let isEnough = false;
  let errors = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    if (isEnough || signal.aborted) return;
    isEnough = !onOutput(chunk);
    if (isEnough) stop();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (errors.length < maxErrorCharacters) errors += text;
  });
  const failure = await closed;
  stopWaiting();
  if (signal.aborted) return { type: "aborted" };
  if (failure) return notStarted(failure);
  if (isEnough || errors === "") return { type: "done" };
  return {
    type: "failed",
    message: errors.replace(/^rg: /, "").trim().slice(0, maxErrorCharacters),
  };
}

/** The child may have no process and no output: of some failures Node tells in an event only. */
function start(program: string, options: RipgrepOptions): ChildProcess | Error {
  try {
    assertDescriptors();
    return spawn(program, [...common, ...options.arguments], {
      cwd: options.cwd,
      // Nothing of ours: neither its settings nor a key reach it.
      env: {},
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

/** Node loses descriptors when there are too few for all the pipes of a child. */
function assertDescriptors(): void {
  const taken: number[] = [];
  try {
    while (taken.length < neededDescriptors) taken.push(openSync(devNull, "r"));
  } finally {
    for (const descriptor of taken) closeSync(descriptor);
  }
}

/** Resolves when the child is gone and all its output is read, or when there is none: to why. */
function closeOf(child: ChildProcess): Promise<Error | undefined> {
  return new Promise((resolve) => {
    child.on("error", resolve);
    child.once("close", () => resolve(undefined));
  });
}

function notStarted({ message }: Error): RipgrepEnd {
  const remedy = "End commands that run in the background, or wait and try again.";
  return { type: "failed", message: `The search could not be started (${message}). ${remedy}` };
}
