import { TeamError } from "../errors.ts";
import {
  asVariables,
  type GitConfiguration,
  startsNothing,
  withoutPrograms,
} from "./git-configuration.ts";
import { type GitOutput, runGitProcess } from "./git-process.ts";

export interface GitOptions {
  /** Where git starts, and from where on it looks for the repository if none is named. */
  cwd: string;
  /** The repository, so that none is looked for. */
  repository?: GitRepository | undefined;
  /** Whose configuration holds beside that of the repository (default: the person's). */
  configuration?: "person" | "none" | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Finds the program, outside every workspace. */
  programs: ProgramSource;
}

interface GitRepository {
  gitDirectory: string;
  /** Undefined for what needs no files. */
  workTree?: string | undefined;
}

/** Finds programs, as `Programs` does. */
interface ProgramSource {
  find(name: string): Promise<string>;
}

/** One run of git. */
export interface GitRun {
  /** Given to it as its input. */
  input?: string | Uint8Array;
  /** A file that is its input. */
  inputFile?: string;
  /** A new file for what it prints, however much that is. */
  outputFile?: string;
  /** A directory of objects that it reads, besides those of the repository. */
  objects?: string;
  /** Ends it, and what it has started. */
  signal?: AbortSignal | undefined;
  /** Used in place of the repository's own index. */
  index?: string;
  /** The author and the time of a commit. */
  author?: CommitAuthor;
  /** Whether a path with a colon at its beginning has a meaning of its own: some commands cannot do without. */
  hasMagicPaths?: boolean;
  /** Whether it may take objects from a repository on this machine. */
  fetchesFiles?: boolean;
  patienceMs?: number;
}

export interface CommitAuthor {
  name: string;
  email: string;
  at: Date;
}

const usualPatienceMs = 60_000;
/** `git merge-tree --write-tree` is in this one and newer ones. */
const leastVersion = [2, 38] as const;

/**
 * Git as the runtime itself uses it, on repositories from anywhere: whatever the repository's own
 * configuration and attributes say, no program of it is started (hooks, file monitors, filters, merge drivers,
 * credential helpers), and nothing comes from the network. A caller that shows a diff as text adds `--no-ext-diff`
 * and `--no-textconv`.
 */
export class Git {
  readonly #options: GitOptions;
  readonly #program: string;
  #configuration: GitConfiguration = startsNothing;

  private constructor(options: GitOptions, program: string) {
    this.#options = options;
    this.#program = program;
  }

  static async open(options: GitOptions): Promise<Git> {
    const git = new Git(options, await options.programs.find("git"));
    const { output } = await git.run(["config", "--list", "--name-only", "-z"]);
    const named = withoutPrograms(output.toString("utf8"), git.#program);
    git.#configuration = [...startsNothing, ...named];
    return git;
  }

  /** Runs git to its end. A failure is in the result. */
  run(argv: readonly string[], run: GitRun = {}): Promise<GitOutput> {
    const { input = "", inputFile, outputFile, signal, patienceMs = usualPatienceMs } = run;
    const { cwd, repository } = this.#options;
    const place = repository
      ? [
          `--git-dir=${repository.gitDirectory}`,
          ...(repository.workTree === undefined ? [] : [`--work-tree=${repository.workTree}`]),
        ]
      : [];
    return runGitProcess({
      ...{ program: this.#program, argv: [...place, ...argv], cwd },
      ...{ env: this.#environment(run), input, inputFile, outputFile, signal, patienceMs },
    });
  }

  /** What git prints, without the last newline. Throws `git-failed`, and `git-missing`. */
  async text(argv: readonly string[], run: GitRun = {}): Promise<string> {
    const result = await this.run(argv, run);
    if (result.code !== 0 || result.isCut) throw failure(argv, result, run.signal);
    return result.output.toString("utf8").replace(/\n$/, "");
  }

  /** Throws `git-missing` and `git-too-old`. */
  async requireVersion(): Promise<void> {
    const printed = await this.text(["version"]);
    const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(printed) ?? [];
    const [leastMajor, leastMinor] = leastVersion;
    const isEnough =
      Number(major) > leastMajor || (Number(major) === leastMajor && Number(minor) >= leastMinor);
    if (isEnough) return;
    throw new TeamError("git-too-old", `${printed} is older than ${leastVersion.join(".")}`, {
      hint: "Install a newer git.",
    });
  }

  #environment(run: GitRun): Record<string, string> {
    const { index, objects, author, hasMagicPaths = false, fetchesFiles = false } = run;
    const { env, configuration = "person" } = this.#options;
    const { PATH = "", HOME = "", XDG_CONFIG_HOME } = env;
    return {
      ...{ PATH, HOME, LC_ALL: "C" },
      ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
      ...(configuration === "none" && { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }),
      ...asVariables(this.#configuration),
      ...(index !== undefined && { GIT_INDEX_FILE: index }),
      ...(objects !== undefined && { GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(objects) }),
      ...(author && authorVariables(author)),
      GIT_OPTIONAL_LOCKS: "0",
      GIT_NO_LAZY_FETCH: "1",
      GIT_ALLOW_PROTOCOL: fetchesFiles ? "file" : "",
      GIT_NO_REPLACE_OBJECTS: "1",
      GIT_LITERAL_PATHSPECS: hasMagicPaths ? "0" : "1",
      GIT_PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
    };
  }
}

/** A path as git reads it in lists of paths. */
export function quotedPath(path: string): string {
  const escaped = path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n");
  return `"${escaped}"`;
}

function authorVariables({ name, email, at }: CommitAuthor): Record<string, string> {
  // With @, it is a number of seconds, however small.
  const date = `@${Math.floor(at.getTime() / 1000)} +0000`;
  return {
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date },
  };
}

function failure(
  [command = ""]: readonly string[],
  { code, errors, isCut, isMissing }: GitOutput,
  signal: AbortSignal | undefined,
): TeamError {
  if (isMissing) {
    return new TeamError("git-missing", "Git is not installed", { hint: "Install git." });
  }
  const why = signal?.aborted
    ? "it was interrupted"
    : isCut
      ? "it printed too much"
      : errors.trim() || (code === undefined ? "it did not end in time" : `exit ${code}`);
  return new TeamError("git-failed", `git ${command} has failed: ${why}`);
}
