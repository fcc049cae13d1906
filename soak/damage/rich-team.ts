import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { hasErrno } from "../../src/errors.ts";
import type { TeamPlace } from "../../src/team/team-place.ts";
import { FileTeamView } from "../../src/team/view/file-team-view.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { providerEnvironment } from "../../test/support/agent-on-wire.ts";
import { teamPlace } from "../../test/support/team.ts";
import { memberOf } from "../../test/support/team-on-wire.ts";
import { fullWords, goLetter, members, playParts, rests } from "./parts.ts";

/** The rules for every start of the team. */
export const allow = ["bash(echo:*)", "bash(tee:*)"];

/** How a process of the program ended. */
interface Ended {
  /** Undefined if it had to be killed. */
  code: number | undefined;
  out: string;
  err: string;
}

/**
 * A team that has lived through a good deal and was killed: calls, thoughts, summaries, tasks that
 * depend on each other, a plan and two calls that wait for an answer, crons, a background job, mail
 * that was read, in a segment too, and mail that was not. Made by the built program once; every
 * trial has a copy of it in the same place.
 */
export class RichTeam implements AsyncDisposable {
  /** The workspace. It is as `renew` left it, and a trial may do what it likes to it. */
  readonly root: string;
  readonly server: ProviderServer;
  readonly #original: string;

  private constructor(directory: string, server: ProviderServer) {
    this.root = join(directory, "team");
    this.#original = join(directory, "original");
    this.server = server;
  }

  static async make(directory: string): Promise<RichTeam> {
    const team = new RichTeam(directory, await ProviderServer.start({ strict: true }));
    await mkdir(team.root);
    await writeFile(join(team.root, "README.md"), "# A project\n");
    team.server.replyWith(playParts());
    await team.#live();
    // The kill may have happened between the writes of the two, which a start correctly reports.
    const roster = join(team.root, ".team", "config.json");
    await cp(join(team.root, ".team", "config.last-good.json"), roster);
    team.server.replyWith(rests);
    await rm(team.#original, { recursive: true, force: true });
    await cp(team.root, team.#original, { recursive: true, preserveTimestamps: true });
    return team;
  }

  /** The team that `keep` has left in `directory`: with it, a seed causes the same damage again. */
  static async again(directory: string, kept: string): Promise<RichTeam> {
    const team = new RichTeam(directory, await ProviderServer.start({ strict: true }));
    team.server.replyWith(rests);
    await cp(kept, team.#original, { recursive: true, preserveTimestamps: true });
    return team;
  }

  /** Leaves a copy of the team as it was when it was killed. */
  async keep(directory: string): Promise<void> {
    await cp(this.#original, directory, { recursive: true, preserveTimestamps: true });
  }

  /** Removes the last line of a mailbox without recording it as damage. */
  async loseUnread(): Promise<void> {
    const path = join(this.root, ".team", "inbox", "bob.jsonl");
    const text = await readFile(path, "utf8").catch(() => "");
    if (text.endsWith("\n")) await writeFile(path, `${text.split("\n").slice(0, -2).join("\n")}\n`);
  }

  place(options: Partial<TeamPlace>): TeamPlace {
    return teamPlace(this.root, options);
  }

  /** The environment of a process that runs the team. */
  get environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env.PATH,
      HOME: this.root,
      XDG_STATE_HOME: join(this.root, "state"),
      XDG_CONFIG_HOME: join(this.root, "configuration"),
      ...providerEnvironment(this.server),
    };
  }

  /** Restores the team to its state at the kill. */
  async renew(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
    await cp(this.#original, this.root, { recursive: true, preserveTimestamps: true });
    this.server.requests.length = 0;
    this.server.refusals.length = 0;
  }

  /** What a file of the workspace had in it, byte for byte. */
  originalText(path: string): Promise<string> {
    return readFile(join(this.#original, path), "latin1");
  }

  /** Runs the program to its end; after `patienceMs` it is killed, with all its processes. */
  async run(argv: readonly string[], patienceMs: number): Promise<Ended> {
    const child = this.#start(argv);
    const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
    const timer = setTimeout(() => kill(child.pid), patienceMs);
    const [code] = await once(child, "exit");
    clearTimeout(timer);
    // Remaining processes would keep its output open.
    kill(child.pid);
    const [out, err] = await outputs;
    return { code: code ?? undefined, out, err };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  argv(prompt: string, more: readonly string[] = []): string[] {
    const rules = allow.flatMap((rule) => ["--allow", rule]);
    return ["run", prompt, "--model", "anthropic/scripted", ...rules, ...more];
  }

  async #live(): Promise<void> {
    const waiting = ["--approvals", "wait", "--plan-approval", "user"];
    const life = this.#start(this.argv("letter-prompt", waiting));
    const ended = once(life, "exit");
    const errors = text(life.stderr);
    life.stdout.resume();
    try {
      const stages = this.#stages();
      await Promise.race([stages, ended.then(async () => Promise.reject(new Error(await errors)))]);
    } finally {
      kill(life.pid);
      await ended;
    }
    const letters = members.flatMap((name) => [1, 2, 3].map((n) => `letter-${name}-${n}`));
    const view = new FileTeamView(this.place({}));
    for (const letter of letters) await view.send(letter.split("-")[1] ?? "", letter);
  }

  /** Runs the team until each member has done its part, and three questions are open. */
  async #stages(): Promise<void> {
    const { server } = this;
    const seen = (name: string) => server.requests.some((request) => memberOf(request) === name);
    await server.until(() => members.every(seen));
    const view = new FileTeamView(this.place({}));
    for (let n = 1; n <= 9; n++) await view.send("ada", longLetter(n));
    const side = join(this.root, ".team", "inbox", ".ada");
    await until(async () => (await readdir(side)).includes("000001.jsonl"));
    for (const name of ["ada", "dan"]) await view.send(name, goLetter(name));
    const record = join(this.root, ".team", "transcripts", "ada.jsonl");
    await until(async () => (await readFile(record, "utf8")).includes(fullWords));
    await view.send("ada", "letter-more-ada");
    await until(async () => (await view.requests({ state: "pending" })).length === 3);
    const jobs = join(this.root, ".team", "background");
    await until(async () => (await readdir(jobs).catch(() => [])).length > 0);
  }

  #start(argv: readonly string[]) {
    return spawn(process.execPath, [program, ...argv], {
      cwd: this.root,
      env: this.environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
  }
}

const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** So long that nine of them fill a segment, and each is shown only in part. */
function longLetter(n: number): string {
  return `letter-long-${n} ${"x".repeat(120_000)}`;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(setImmediate);
}

/** Ends a process with everything in its group. */
function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!hasErrno(error, "ESRCH")) throw error;
  }
}
