import { mounts } from "./mounts.ts";
import { protectedNow } from "./protected-now.ts";
import type {
  ConfinedOutcome,
  ConfinedProgram,
  Confinement,
  ProgramToConfine,
  Sandbox,
} from "./sandbox.ts";
import { isFiltered, seccompFilter } from "./seccomp-filter.ts";

export interface BubblewrapOptions {
  /** Its path, outside every workspace. */
  program: string;
  /** Whether it can forbid further user namespaces by itself, as it can since version 0.8. */
  disablesNamespaces: boolean;
  confinement: Confinement;
}

/** Confines by Linux namespaces, as bubblewrap sets them up, and by a filter of system calls. */
export class Bubblewrap implements Sandbox {
  readonly #options: BubblewrapOptions;
  readonly #filter = isFiltered(process.arch) ? [seccompFilter(process.arch)] : [];

  constructor(options: BubblewrapOptions) {
    this.#options = options;
  }

  async confine({ argv, cwd }: ProgramToConfine): Promise<ConfinedProgram> {
    const { program, disablesNamespaces, confinement } = this.#options;
    const statusDescriptor = 3 + this.#filter.length;
    const before = await protectedNow(confinement);
    return {
      argv: [
        program,
        ...namespaces(confinement, disablesNamespaces),
        ...(await mounts(confinement, [...before.keys()])),
        ...this.#filter.flatMap((_, index) => ["--seccomp", String(3 + index)]),
        ...["--setenv", "TMPDIR", "/tmp"],
        // The person's own caches are read-only.
        ...["--setenv", "XDG_CACHE_HOME", "/tmp/.cache"],
        ...["--setenv", "npm_config_cache", "/tmp/.cache/npm"],
        ...["--json-status-fd", String(statusDescriptor)],
        ...["--chdir", cwd],
        "--",
        ...argv,
      ],
      inputs: this.#filter,
      statusDescriptor,
      outcome: outcomeOf,
      async appeared() {
        const now = await protectedNow(confinement);
        return [...now].flatMap(([path, is]) => (before.get(path) === is ? [] : [path]));
      },
    };
  }
}

/**
 * Without `--new-session`: the command has a session of its own already, and stays in the group that
 * is signalled to end it. Capabilities are dropped for root, who could change mounts with them.
 */
function namespaces({ network }: Confinement, disablesNamespaces: boolean): string[] {
  return [
    "--die-with-parent",
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
    "--unshare-cgroup-try",
    ...(network === "off" ? ["--unshare-net"] : []),
    ...(disablesNamespaces ? ["--disable-userns"] : []),
    ...["--cap-drop", "ALL"],
  ];
}

/**
 * Bubblewrap exits with 1 both when it fails and when the program does. It reports an exit code only
 * for a program that ran.
 */
function outcomeOf(status: string): ConfinedOutcome {
  const [, exitCode] = /"exit-code"\s*:\s*(\d+)/.exec(status) ?? [];
  return exitCode === undefined
    ? { started: false }
    : { started: true, exitCode: Number(exitCode) };
}
