import { spawn } from "node:child_process";
import type { EnvironmentVariables } from "../../model/provider-settings.ts";
import { Programs } from "../../processes/programs.ts";

/** What a run of git has printed. */
interface GitOutput {
  /** 0 where it succeeded; undefined where it was ended, or could not be started. */
  code: number | undefined;
  output: Buffer;
  errors: string;
  /** True where it would have printed more than is read. */
  isCut: boolean;
}

interface GitOptions {
  /** Given to it as its input. */
  input?: string;
}

type GitConfiguration = readonly (readonly [key: string, value: string])[];

/** More is not read of one run. */
const maxBytes = 48 * 1024 * 1024;
const patienceMs = 60_000;
const maxErrorCharacters = 2_000;

/**
 * Git as it only reads a repository that may be anybody's: whatever the repository's own configuration and
 * attributes say, no program of it is started, no object is fetched and nothing is written.
 *
 * The commands that are used here show no content through converters, so only these could start a program: a file
 * monitor, the filters by which git compares a file, the fetching of what a partial clone lacks, and the hook of
 * an index that is rewritten. Each is switched off by what no repository can override.
 */
export class ReadingGit {
  readonly #cwd: string;
  readonly #program: string;
  readonly #env: EnvironmentVariables;
  #configuration: GitConfiguration = [
    ["core.fsmonitor", "false"],
    ["diff.autoRefreshIndex", "false"],
    ["protocol.allow", "never"],
  ];

  private constructor(cwd: string, program: string, env: EnvironmentVariables) {
    this.#cwd = cwd;
    this.#program = program;
    this.#env = env;
  }

  static async open(cwd: string, env: EnvironmentVariables): Promise<ReadingGit> {
    const program = await new Programs({ path: env.PATH, workspace: cwd }).find("git");
    const git = new ReadingGit(cwd, program, env);
    await git.#switchOffFilters();
    return git;
  }

  /** Runs git to its end. A failure is in the result. */
  run(argv: readonly string[], { input = "" }: GitOptions = {}): Promise<GitOutput> {
    return new Promise((resolve) => {
      const child = spawn(this.#program, [...argv], {
        ...{ cwd: this.#cwd, env: this.#environment() },
        ...{ timeout: patienceMs, killSignal: "SIGKILL" },
      });
      const chunks: Buffer[] = [];
      let [size, errors, isCut] = [0, "", false];
      const end = (code: number | undefined) =>
        resolve({ code, output: Buffer.concat(chunks), errors, isCut });
      child.stdout.on("data", (chunk: Buffer) => {
        if (size + chunk.length > maxBytes) {
          isCut = true;
          child.kill("SIGKILL");
          return;
        }
        size += chunk.length;
        chunks.push(chunk);
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        errors = `${errors}${text}`.slice(0, maxErrorCharacters);
      });
      // It may end before it has read its input.
      child.stdin.on("error", () => undefined);
      child.stdin.end(input);
      child.once("error", ({ message }) => {
        errors = message;
        end(undefined);
      });
      child.once("close", (code) => end(code ?? undefined));
    });
  }

  /** A filter has any name, so each that some configuration names is replaced by none. */
  async #switchOffFilters(): Promise<void> {
    const { output } = await this.run(["config", "--list", "--name-only", "-z"]);
    const names = new Set<string>();
    for (const key of output.toString("utf8").split("\0")) {
      const [, name] = /^filter\.(.*)\.[^.]+$/s.exec(key) ?? [];
      if (name !== undefined) names.add(name);
    }
    const off = [...names].flatMap((name) => [
      ...["clean", "smudge", "process"].map((key) => [`filter.${name}.${key}`, ""] as const),
      [`filter.${name}.required`, "false"] as const,
    ]);
    this.#configuration = [...this.#configuration, ...off];
  }

  #environment(): Record<string, string> {
    const { PATH = "", HOME = "", XDG_CONFIG_HOME } = this.#env;
    const pairs = this.#configuration.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]);
    return {
      ...{ PATH, HOME, LC_ALL: "C" },
      ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
      ...Object.fromEntries(pairs),
      GIT_CONFIG_COUNT: String(this.#configuration.length),
      GIT_OPTIONAL_LOCKS: "0",
      GIT_NO_LAZY_FETCH: "1",
      GIT_ALLOW_PROTOCOL: "",
      GIT_NO_REPLACE_OBJECTS: "1",
      GIT_LITERAL_PATHSPECS: "1",
      GIT_PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
    };
  }
}
