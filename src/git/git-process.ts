import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { hasErrno } from "../errors.ts";
import { onAbort } from "../lib/on-abort.ts";

/** What a run of git has printed. */
export interface GitOutput {
  /** 0 where it succeeded; undefined where it was ended, or could not be started. */
  code: number | undefined;
  output: Buffer;
  errors: string;
  /** True where it would have printed more than is read. */
  isCut: boolean;
  /** True where there is no such program. */
  isMissing: boolean;
}

export interface GitProcess {
  program: string;
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  input: string | Uint8Array;
  /** A file to be read in place of `input`. */
  inputFile?: string | undefined;
  /** A new file for what it prints, however much that is. */
  outputFile?: string | undefined;
  patienceMs: number;
  /** Ends it, and what it has started. */
  signal: AbortSignal | undefined;
}

/** More is not read of one run. */
const maxBytes = 48 * 1024 * 1024;
const maxErrorCharacters = 2_000;

/** Runs git to its end. A failure is in the result. */
export async function runGitProcess(options: GitProcess): Promise<GitOutput> {
  const { inputFile, outputFile } = options;
  const files = [
    inputFile === undefined ? undefined : openSync(inputFile, "r"),
    outputFile === undefined ? undefined : openSync(outputFile, "wx", 0o600),
  ] as const;
  try {
    return await runWith(options, files);
  } finally {
    for (const descriptor of files) if (descriptor !== undefined) closeSync(descriptor);
  }
}

function runWith(
  { program, argv, cwd, env, input, patienceMs, signal }: GitProcess,
  [inputFile, outputFile]: readonly [number | undefined, number | undefined],
): Promise<GitOutput> {
  return new Promise((resolve) => {
    const child = spawn(program, [...argv], {
      ...{ cwd, env, timeout: patienceMs, killSignal: "SIGKILL" },
      // A group of its own, to be ended together with what it starts.
      detached: true,
      stdio: [inputFile ?? "pipe", outputFile ?? "pipe", "pipe"],
    });
    const chunks: Buffer[] = [];
    let [size, errors, isCut, isMissing] = [0, "", false, false];
    const stopWaiting = signal && onAbort(signal, () => endGroup(child));
    const end = (code: number | undefined) => {
      stopWaiting?.();
      resolve({ code, output: Buffer.concat(chunks), errors, isCut, isMissing });
    };
    child.stdout?.on("data", (chunk: Buffer) => {
      if (isCut) return;
      isCut = size + chunk.length > maxBytes;
      if (isCut) return endGroup(child);
      size += chunk.length;
      chunks.push(chunk);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors = `${errors}${text}`.slice(0, maxErrorCharacters);
    });
    // It may end before it has read its input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
    child.once("error", (error) => {
      errors = error.message;
      isMissing = hasErrno(error, "ENOENT", "ENOTDIR");
      end(undefined);
    });
    // After a timeout, others of its group may still hold its output open.
    child.once("exit", (_, killedBy) => killedBy && endGroup(child));
    child.once("close", (code) => end(code ?? undefined));
  });
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!hasErrno(error, "ESRCH", "EPERM")) throw error;
  }
}
