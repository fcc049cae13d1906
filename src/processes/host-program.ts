import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { onAbort } from "../lib/on-abort.ts";
import type { ProgramEnd, ProgramRequest } from "./command-runner.ts";

const maxErrorCharacters = 1000;
/** More descriptors than the start of a child with two pipes needs. */
const neededDescriptors = 8;

/** Runs a program on this machine to its end, or until its output is enough. */
export async function runHostProgram(request: ProgramRequest): Promise<ProgramEnd> {
  const { signal, onOutput } = request;
  if (signal.aborted) return { type: "aborted" };
  const child = start(request);
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
  return { type: "ended", errors: isEnough ? "" : errors.slice(0, maxErrorCharacters) };
}

/** The child may have no process and no output: Node reports some failures only in an event. */
function start({ path, arguments: argv, cwd }: ProgramRequest): ChildProcess | Error {
  try {
    assertDescriptors();
    // An empty environment: no settings and no key reach it.
    return spawn(path, argv, { cwd, env: {}, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

/**
 * Throws if there are too few descriptors for all the pipes of a child: Node would lose some of
 * them.
 */
function assertDescriptors(): void {
  const taken: number[] = [];
  try {
    while (taken.length < neededDescriptors) taken.push(openSync(devNull, "r"));
  } finally {
    for (const descriptor of taken) closeSync(descriptor);
  }
}

/** Resolves when the child is gone and all its output is read, or to the reason why it did not start. */
function closeOf(child: ChildProcess): Promise<Error | undefined> {
  return new Promise((resolve) => {
    child.on("error", resolve);
    child.once("close", () => resolve(undefined));
  });
}

function notStarted({ message }: Error): ProgramEnd {
  const remedy = "End commands that run in the background, or wait and try again.";
  return { type: "not-started", problem: `(${message}). ${remedy}` };
}
