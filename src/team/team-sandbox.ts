import { join } from "node:path";
import { TeamError } from "../errors.ts";
import { stateDirectory } from "../keys/team-key.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import { removeTree } from "../lib/remove-tree.ts";
import { findProtected } from "../permissions/find-protected.ts";
import { secretsBelow } from "../permissions/home-secrets.ts";
import { Programs } from "../processes/programs.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { FoundSandbox } from "../sandbox/find-sandbox.ts";
import type { Confinement, Sandbox } from "../sandbox/sandbox.ts";
import type { TeamPlace } from "./team-place.ts";

export const sandboxModes = ["off", "auto", "required"] as const;

/** Whether members' commands run in a sandbox: never, where this machine has one, or never without. */
type SandboxMode = (typeof sandboxModes)[number];

/** The sandbox of members' commands. */
export interface SandboxOptions {
  /** Whether there is one (default: off). */
  mode?: SandboxMode | undefined;
  /** Whether its commands reach the network (default: off). */
  network?: Confinement["network"] | undefined;
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

async function findWith(programs: Programs): Promise<FoundSandbox> {
  const { findSandbox } = await import("../sandbox/find-sandbox.ts");
  return await findSandbox((name) => programs.find(name));
}

interface TeamSandboxParts {
  readonly options: SandboxOptions;
  readonly place: TeamPlace;
  readonly programs: Programs;
  /** Names the directory for temporary files. */
  readonly teamId: () => Promise<string>;
}

/** What confines the commands of all members of a team, if anything does. */
export class TeamSandbox implements AsyncDisposable {
  readonly #parts: TeamSandboxParts;
  #found: Promise<FoundSandbox> | undefined;
  #temporary: Promise<string> | undefined;
  readonly #opened = new Map<string, Sandbox>();

  constructor(parts: TeamSandboxParts) {
    this.#parts = parts;
  }

  /** Throws `sandbox-missing` where one is required, and this machine has none that works. */
  async check(): Promise<void> {
    if (this.#parts.options.mode !== "required") return;
    const found = await this.#find();
    if (found?.type !== "missing") return;
    throw new TeamError("sandbox-missing", found.problem, { hint: found.remedy });
  }

  /** Whether commands run in one. The first call tries it. */
  async isInForce(): Promise<boolean> {
    return (await this.#find())?.type === "found";
  }

  /** What a model is told about the sandbox of its commands; undefined if there is none. */
  async note(): Promise<string | undefined> {
    if (!(await this.isInForce())) return undefined;
    const network = this.#parts.options.network === "open" ? "" : ", and have no network";
    return `Commands run in a sandbox: they change only the workspace and /tmp, not .git${network}. With unsandboxed and a reason, the person is asked to let one run without it.`;
  }

  /** The sandbox of a member's commands; undefined if they run without one. */
  async of(name: MemberName, workspace: string): Promise<Sandbox | undefined> {
    const found = await this.#find();
    if (found?.type !== "found") return undefined;
    this.#temporary ??= this.#makeTemporary();
    const temporary = join(await this.#temporary, name);
    // Each time: a process with a copy of the team has the same directory, and removes it when it closes.
    await ensurePrivateDirectory(temporary);
    const key = JSON.stringify([name, workspace]);
    const opened = this.#opened.get(key) ?? this.#open(found, { name, workspace, temporary });
    this.#opened.set(key, opened);
    return opened;
  }

  #open(
    found: Extract<FoundSandbox, { type: "found" }>,
    { name, workspace, temporary }: { name: MemberName; workspace: string; temporary: string },
  ): Sandbox {
    const sandbox = found.open(this.#confinement(workspace, temporary));
    return telling(sandbox, (paths) => {
      const what = `that can make other programs run code: ${paths.join(", ")}`;
      this.#parts.place.onWarning(`A command of '${name}' has made or replaced files ${what}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#temporary) await removeTree(await this.#temporary);
  }

  /** Without what a process that was killed has left there. */
  async #makeTemporary(): Promise<string> {
    const { place, teamId } = this.#parts;
    const path = join(stateDirectory(place.keyPlace), "tmp", await teamId());
    await removeTree(path);
    return path;
  }

  #confinement(workspace: string, temporary: string): Confinement {
    const { options, place } = this.#parts;
    const { network = "off", write = [], denyRead = [] } = options;
    const { home, keyFile } = place.keyPlace;
    return {
      ...{ temporary, home, network },
      writable: [workspace, ...write],
      protected: async () => [...(await findProtected(workspace)), place.directory],
      hidden: [
        ...secretsBelow(home),
        ...[stateDirectory(place.keyPlace), ...(keyFile ? [keyFile] : [])],
        ...denyRead,
      ],
    };
  }

  #find(): Promise<FoundSandbox | undefined> {
    if ((this.#parts.options.mode ?? "off") === "off") return Promise.resolve(undefined);
    this.#found ??= this.#tryOut();
    return this.#found;
  }

  async #tryOut(): Promise<FoundSandbox> {
    const { programs, place, options } = this.#parts;
    const found = await findWith(programs);
    if (found.type === "missing" && options.mode === "auto") {
      place.onWarning(`${found.problem}, so members' commands run as you. ${found.remedy}`);
    }
    return found;
  }
}

/** The same sandbox; `tell` hears of the protected files that appear. */
function telling(sandbox: Sandbox, tell: (paths: readonly string[]) => void): Sandbox {
  return {
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
