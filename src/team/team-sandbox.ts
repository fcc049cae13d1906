import { join } from "node:path";
import { TeamError } from "../errors.ts";
import { stateDirectory } from "../keys/team-key.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import { removeTree } from "../lib/remove-tree.ts";
import { findProtected } from "../permissions/find-protected.ts";
import { secretsBelow, systemSecrets, toolsBelow } from "../permissions/home-secrets.ts";
import { Programs } from "../processes/programs.ts";
import type { MemberName } from "../protocol/ids.ts";
import { type SandboxMode, strictestSandbox } from "../protocol/sandbox-mode.ts";
import type { SandboxNetwork } from "../protocol/sandbox-network.ts";
import type { FoundSandbox } from "../sandbox/find-sandbox.ts";
import type { AskHost } from "../sandbox/network/host-questions.ts";
import type { Confinement, Sandbox } from "../sandbox/sandbox.ts";
import { ownFiles } from "./own-files.ts";
import type { TeamPlace } from "./team-place.ts";

/** The sandbox of members' commands. */
export interface SandboxOptions {
  /** Whether there is one (default: off). */
  mode?: SandboxMode | undefined;
  /** What its commands reach: nothing (`off`), everything (`open`), or the hosts of a list (default: off). */
  network?: SandboxNetwork | undefined;
  /** Directories that its commands may change, besides the workspace. */
  write?: readonly string[] | undefined;
  /** Files and directories that its commands cannot read, besides the known places of credentials. */
  denyRead?: readonly string[] | undefined;
}

/** Tries the sandbox of this machine, with programs from the directories of `path` that are not in the workspace. */
export async function trySandbox(options: {
  path: string | undefined;
  workspace: string;
}): Promise<FoundSandbox> {
  return await findWith(new Programs(options));
}

type WorkingSandbox = Extract<FoundSandbox, { type: "found" }>;
type MissingSandbox = Extract<FoundSandbox, { type: "missing" }>;

async function findWith(programs: Programs): Promise<FoundSandbox> {
  const { findSandbox } = await import("../sandbox/find-sandbox.ts");
  return await findSandbox((name) => programs.find(name));
}

interface TeamSandboxParts {
  readonly options: SandboxOptions;
  readonly place: TeamPlace;
  readonly programs: Programs;
  /** Other places of credentials than those of a home directory. */
  readonly credentials?: readonly string[];
  /** Where all members' checkouts are, if not in the state directory. */
  readonly checkouts?: string | undefined;
  /** Names the directory for temporary files. */
  readonly teamId: () => Promise<string>;
  /** Asks the person whether a member's commands may reach a host (default: they may not). */
  readonly askHost?:
    | ((member: MemberName, ...asked: Parameters<AskHost>) => Promise<boolean>)
    | undefined;
}

/** What the sandbox of one member depends on, besides the team's options. */
export interface SandboxedMember {
  /** Its own workspace. */
  workspace: string;
  /** True where the workspace is its own, with the repository in it, so that nothing in it is kept as it is (default: false). */
  ownsGit?: boolean;
  /** What was asked for it (default: as the team's). It counts where it is stricter than the team's. */
  mode?: SandboxMode | undefined;
  /** What its commands reach, whatever the team's do (default: as the team's). */
  network?: SandboxNetwork | undefined;
  /** True where the person is not asked about hosts that they do not reach (default: false). */
  asksNobody?: boolean | undefined;
  /** What it can read wherever that is, besides the team directory and Troupe itself. */
  readable?: readonly string[];
}

/** What confines the commands of the members of a team, if anything does. */
export class TeamSandbox implements AsyncDisposable {
  readonly #parts: TeamSandboxParts;
  #found: Promise<FoundSandbox> | undefined;
  #isWarned = false;
  #temporary: Promise<string> | undefined;
  readonly #opened = new Map<string, Sandbox>();

  constructor(parts: TeamSandboxParts) {
    this.#parts = parts;
  }

  /** The mode for members of which nothing else was asked. No member has a weaker one. */
  get mode(): SandboxMode {
    return this.#parts.options.mode ?? "off";
  }

  /** Throws `sandbox-missing` where one is required, and this machine has none that works. */
  async check(asked?: SandboxMode): Promise<void> {
    if (strictestSandbox(this.mode, asked) === "required") await this.#find(asked);
  }

  /** Whether commands run in one. The first call tries it. Throws `sandbox-missing` as `check` does. */
  async isInForce(asked?: SandboxMode): Promise<boolean> {
    return (await this.#find(asked)) !== undefined;
  }

  /**
   * What a model is told about the sandbox of its commands; undefined if they run without one. With `auto` it is
   * told before anybody knows whether one works: a trial would delay its first request.
   */
  note({ ownsGit, mode, network }: Omit<SandboxedMember, "workspace"> = {}): string | undefined {
    const asked = strictestSandbox(this.mode, mode);
    if (asked === "off") return undefined;
    const where = asked === "auto" ? ", where this machine has one" : "";
    const git = ownsGit ? "" : ", not .git";
    return `Commands run in a sandbox${where}: they see only their own processes, and change only the workspace and /tmp${git}${reach(network ?? this.#parts.options.network)}. With unsandboxed and a reason, the person is asked to let one run without it.`;
  }

  /** The sandbox of a member's commands; undefined if they run without one. Throws `sandbox-missing` as `check` does. */
  async of(name: MemberName, member: SandboxedMember): Promise<Sandbox | undefined> {
    const found = await this.#find(member.mode);
    if (!found) return undefined;
    this.#temporary ??= this.#makeTemporary();
    const temporary = join(await this.#temporary, name);
    // Each time: a process with a copy of the team has the same directory, and removes it when it closes.
    await ensurePrivateDirectory(temporary);
    const { workspace, ownsGit, readable, network, asksNobody } = member;
    const key = JSON.stringify([name, workspace, ownsGit, readable, network, asksNobody]);
    const opened = this.#opened.get(key) ?? this.#open(found, { ...member, name, temporary });
    this.#opened.set(key, opened);
    return opened;
  }

  #open(
    found: WorkingSandbox,
    { name, temporary, ...member }: SandboxedMember & { name: MemberName; temporary: string },
  ): Sandbox {
    const { askHost } = this.#parts;
    const sandbox = found.open({
      ...this.#confinement(member, temporary),
      ...(askHost &&
        !member.asksNobody && { askHost: (host, signal) => askHost(name, host, signal) }),
    });
    return telling(sandbox, (paths) => {
      const what = `that can make other programs run code: ${paths.join(", ")}`;
      this.#parts.place.onWarning(`A command of '${name}' has made or replaced files ${what}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const sandbox of this.#opened.values()) await sandbox[Symbol.asyncDispose]();
    // Its error was thrown to those whose commands did not run.
    const temporary = await this.#temporary?.catch(() => undefined);
    if (temporary) await removeTree(temporary);
  }

  /** Without what a process that was killed has left there. */
  async #makeTemporary(): Promise<string> {
    const { place, teamId } = this.#parts;
    const directory = join(stateDirectory(place.keyPlace), "tmp");
    await ensurePrivateDirectory(directory);
    const path = join(directory, await teamId());
    await removeTree(path);
    return path;
  }

  #confinement(
    { workspace, ownsGit, readable = [], network: asked }: SandboxedMember,
    temporary: string,
  ): Confinement {
    const { options, place, programs } = this.#parts;
    const { write = [], denyRead = [] } = options;
    const network = asked ?? options.network ?? "off";
    const { home, keyFile } = place.keyPlace;
    const own = [place.directory, ...ownFiles()];
    return {
      ...{ temporary, home, network },
      writable: [workspace, ...write],
      // Where names are resolved may be named in `/run`.
      readable: [...readable, ...own, ...(network === "open" ? ["/etc/resolv.conf"] : [])],
      programs: [...programs.directories, ...toolsBelow(home)],
      protected: async () => [...(ownsGit ? [] : await findProtected(workspace)), ...own],
      hidden: [
        ...secretsBelow(home),
        ...(this.#parts.credentials ?? []),
        ...(process.getuid?.() === 0 ? systemSecrets : []),
        ...[stateDirectory(place.keyPlace), ...(keyFile ? [keyFile] : [])],
        // Of these, a member sees its own.
        ...(this.#parts.checkouts ? [this.#parts.checkouts] : []),
        ...denyRead,
      ],
    };
  }

  /** The sandbox of this machine where the mode has one; throws where it requires one that is missing. */
  async #find(asked?: SandboxMode): Promise<WorkingSandbox | undefined> {
    const mode = strictestSandbox(this.mode, asked);
    if (mode === "off") return undefined;
    this.#found ??= findWith(this.#parts.programs);
    const found = await this.#found;
    if (found.type === "found") return found;
    if (mode === "required") {
      throw new TeamError("sandbox-missing", found.problem, { hint: found.remedy });
    }
    this.#warn(found);
    return undefined;
  }

  #warn({ problem, remedy }: MissingSandbox): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    this.#parts.place.onWarning(`${problem}, so members' commands run as you. ${remedy}`);
  }
}

/** What a model is told about the network of its commands. */
function reach(network: SandboxNetwork = "off"): string {
  if (network === "open") return "";
  if (network === "off" || network.length === 0) return ", and have no network";
  return `, and reach only these hosts: ${network.join(", ")}`;
}

/** The same sandbox; `tell` hears of the protected files that appear. */
function telling(sandbox: Sandbox, tell: (paths: readonly string[]) => void): Sandbox {
  return {
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
    async confine(program) {
      const confined = await sandbox.confine(program);
      return {
        ...confined,
        async appeared() {
          const paths = await confined.appeared();
          if (paths.length > 0) tell(paths);
          return paths;
        },
      };
    },
  };
}
