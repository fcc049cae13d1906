import { spawn } from "node:child_process";
import { once } from "node:events";

const maxErrorCharacters = 1000;

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
async function findProgram(): Promise<string | undefined> {
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
  const program = await findProgram();
  if (program === undefined) return { type: "failed", message: notInstalled };
  const child = spawn(program, [...common, ...options.arguments], {
    cwd: options.cwd,
    // Nothing of ours: neither its settings nor a key reach it.
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = () => child.kill("SIGKILL");
  signal.addEventListener("abort", stop);
  let isEnough = false;
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => {
    if (isEnough) return;
    isEnough = !onOutput(chunk);
    if (isEnough) stop();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (errors.length < maxErrorCharacters) errors += text;
  });
  try {
    await once(child, "close");
  } finally {
    signal.removeEventListener("abort", stop);
  }
  if (signal.aborted) return { type: "aborted" };
  if (isEnough || errors === "") return { type: "done" };
  return {
    type: "failed",
    message: errors.replace(/^rg: /, "").trim().slice(0, maxErrorCharacters),
  };
}
