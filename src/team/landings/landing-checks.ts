import { dirname, join } from "node:path";
import { TeamError } from "../../errors.ts";
import type { Git, GitRun } from "../../git/git.ts";
import { lastCharacters } from "../../lib/cut-text.ts";
import { ensurePrivateDirectory } from "../../lib/files.ts";
import { removeTree } from "../../lib/remove-tree.ts";
import { type CommandEnd, type CommandRunner, runCommand } from "../../processes/command-runner.ts";
import type { CommitId } from "../../protocol/ids.ts";
import type { LandingCheck } from "../../protocol/landing.ts";

export interface LandingChecksOptions {
  /** The command. */
  command: string;
  /** How long it may run. */
  timeoutMs: number;
  /** A directory of the runtime's own, for nothing else. It is removed before and in the end. */
  directory: string;
  /** In the person's repository, with the files in `tree`. */
  openGit(tree: string): Promise<Git>;
  /** Starts commands in `tree`. */
  openRunner(tree: string): CommandRunner;
}

const maxOutputCharacters = 4_000;
const patienceMs = 600_000;

/**
 * Runs the check on exactly the tree of a commit, in a directory in which nobody works: whatever the command
 * changes there, the commit stays what it is, and the next check finds nothing of it.
 */
export class LandingChecks implements AsyncDisposable {
  readonly #options: LandingChecksOptions;
  readonly #tree: string;
  readonly #run: GitRun;
  #parts: Promise<{ git: Git; runner: CommandRunner }> | undefined;

  constructor(options: LandingChecksOptions) {
    this.#options = options;
    this.#tree = join(options.directory, "tree");
    // Outside of what the command can write: by it, git knows which files the command has changed.
    this.#run = { index: join(options.directory, "index"), patienceMs };
  }

  /** Why the commit has not passed. Throws `check-failed` where that cannot be found out. */
  async run(commit: CommitId, signal: AbortSignal): Promise<LandingCheck | undefined> {
    const { command, timeoutMs } = this.#options;
    this.#parts ??= this.#open();
    const { git, runner } = await this.#parts.catch((error: unknown) => {
      this.#parts = undefined;
      throw error;
    });
    await this.#checkOut(git, commit, signal);
    if (signal.aborted) return undefined;
    const end = await runCommand(runner, {
      ...{ command, timeoutMs, signal },
      name: `check-${commit.slice(0, 12)}`,
      onOutput: () => undefined,
    });
    if (end.type === "not-started") throw notRun(end.problem);
    if (end.ending === "unconfined") throw notRun("Its sandbox could not be started");
    return failureOf(end, this.#options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeTree(this.#options.directory);
  }

  /** Without what a process that was killed has left there. */
  async #open() {
    await this.#clear();
    const git = await this.#options.openGit(this.#tree);
    return { git, runner: this.#options.openRunner(this.#tree) };
  }

  async #clear(): Promise<void> {
    const { directory } = this.#options;
    await ensurePrivateDirectory(dirname(directory));
    await removeTree(directory);
    await ensurePrivateDirectory(this.#tree);
  }

  async #checkOut(git: Git, commit: CommitId, signal: AbortSignal): Promise<void> {
    try {
      await this.#update(git, commit, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof TeamError) || error.code !== "git-failed")
        throw error;
      // The command may have left something there that git cannot remove.
      await this.#clear();
      await this.#update(git, commit, signal);
    }
  }

  /** Only what differs is written: most files stay from one check to the next. */
  async #update(git: Git, commit: CommitId, signal: AbortSignal): Promise<void> {
    const run = { ...this.#run, signal };
    await git.text(["read-tree", "--reset", "-u", "--no-sparse-checkout", commit], run);
    await git.text(["clean", "-ffdxq"], run);
  }
}

function failureOf(
  { ending, exitCode, signal, output }: CommandEnd,
  { command, timeoutMs }: LandingChecksOptions,
): LandingCheck | undefined {
  if (ending === "aborted" || (ending === "exited" && exitCode === 0)) return undefined;
  const shown = output.trimEnd();
  const end = lastCharacters(shown, maxOutputCharacters);
  const isCut = end.length < shown.length;
  return {
    command,
    exit_code: ending === "exited" ? exitCode : null,
    reason:
      ending === "timeout"
        ? `It did not end within ${timeoutMs / 1000} s`
        : exitCode === null
          ? `It was killed by ${signal ?? "a signal"}`
          : `It ended with exit code ${exitCode}`,
    output: isCut ? `…${end}` : end,
  };
}

function notRun(problem: string): TeamError {
  return new TeamError("check-failed", `The check could not be run: ${problem}`);
}
