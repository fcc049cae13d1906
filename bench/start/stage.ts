import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";

export interface StartOptions {
  stdio?: SpawnOptions["stdio"];
  /** Without the environment of the shell. */
  isBare?: boolean;
  /** Additional variables. */
  env?: NodeJS.ProcessEnv;
}

/** Starts the installed program, each time in a new directory. */
export class Stage implements AsyncDisposable {
  readonly provider: ProviderServer;
  readonly #directory: string;
  /** The installed program's file. */
  readonly program: string;

  private constructor(provider: ProviderServer, directory: string, program: string) {
    this.provider = provider;
    this.#directory = directory;
    this.program = program;
  }

  static async open(directory: string, program: string): Promise<Stage> {
    const provider = await ProviderServer.start();
    // Two turns: a command, and an answer.
    provider.replyWith(({ body }) =>
      body.messages.some(({ role }) => role === "assistant")
        ? says("Done.")
        : calls("bash", { command: "echo hi" }),
    );
    return new Stage(provider, directory, program);
  }

  /**
   * Starts a program in a directory without a team, in the environment of the shell: settings that
   * slow down every Node start there apply here too. With `isBare` the environment is empty.
   */
  async start(
    command: string,
    argv: readonly string[],
    { stdio = "ignore", isBare = false, ...given }: StartOptions = {},
  ) {
    const cwd = await mkdtemp(join(this.#directory, "run-"));
    const env = {
      ...(isBare ? { PATH: process.env.PATH } : process.env),
      TERM: "xterm-256color",
      HOME: cwd,
      XDG_STATE_HOME: join(cwd, "state"),
      XDG_CONFIG_HOME: join(cwd, "config"),
      // As for a user: files of the first start are used by the next.
      XDG_CACHE_HOME: join(this.#directory, "cache"),
      TROUPE_MODEL: "anthropic/scripted",
      ANTHROPIC_BASE_URL: this.provider.url,
      ANTHROPIC_API_KEY: "none-is-needed",
      ...given.env,
    };
    return spawn(command, argv, { cwd, env, stdio });
  }

  /** A path in the directory of all starts. */
  pathOf(name: string): string {
    return join(this.#directory, name);
  }

  startNode(argv: readonly string[], options?: StartOptions) {
    return this.start(process.execPath, argv, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.provider[Symbol.asyncDispose]();
  }
}

/** Resolves when the program has ended successfully. */
export async function ended(child: ChildProcess): Promise<void> {
  const [code] = child.exitCode === null ? await once(child, "exit") : [child.exitCode];
  if (code !== 0) throw new Error(`${child.spawnargs.join(" ")} ended with ${code}`);
}
