import { orNothing } from "../lib/or-nothing.ts";
import { checkedStart, isChecked } from "./checked-start.ts";
import { mounts } from "./mounts.ts";
import type { HostProxy } from "./network/host-proxy.ts";
import { type NetworkPrograms, OwnNetwork, proxyAddress } from "./network/own-network.ts";
import { proxyVariables } from "./network/proxy-variables.ts";
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
  /** Each outside every workspace. */
  programs: NetworkPrograms & { readonly bash: string };
  /** Whether it can forbid further user namespaces by itself, as it can since version 0.8. */
  disablesNamespaces: boolean;
  confinement: Confinement;
}

/** Confines by Linux namespaces, as bubblewrap sets them up, and by a filter of system calls. */
export class Bubblewrap implements Sandbox {
  readonly #options: BubblewrapOptions;
  readonly #filter = isFiltered(process.arch) ? [seccompFilter(process.arch)] : [];
  /** Of the commands that may start servers and reach hosts, and of those that change nothing. */
  readonly #networks: Record<"usual" | "read-only", Promise<OwnNetwork> | undefined> = {
    usual: undefined,
    "read-only": undefined,
  };
  #proxy: HostProxy | undefined;

  constructor(options: BubblewrapOptions) {
    this.#options = options;
  }

  async confine(program: ProgramToConfine): Promise<ConfinedProgram> {
    const { argv, cwd, isTrial = false } = program;
    const isReadOnly = isTrial || (program.isReadOnly ?? false);
    const { programs, disablesNamespaces, confinement } = this.#options;
    const statusDescriptor = 3 + this.#filter.length;
    // A command that changes nothing makes no protected files.
    const findNow = async () =>
      isReadOnly ? new Map<string, string>() : protectedNow(confinement);
    const [before, network] = await Promise.all([findNow(), this.#network(isReadOnly)]);
    const refusedHosts = this.#proxy?.watch() ?? (() => []);
    const temporary = isReadOnly ? "/var/tmp" : "/tmp";
    const { arguments: mounting, exposed } = await mounts(confinement, {
      ...{ protects: [...before.keys()], isReadOnly, isTrial },
    });
    const descriptor = statusDescriptor + 1;
    const isExposed = exposed.length > 0;
    return {
      argv: [
        ...entered(network, programs.bubblewrap),
        ...namespaces(disablesNamespaces),
        ...mounting,
        ...this.#filter.flatMap((_, index) => ["--seccomp", String(3 + index)]),
        ...variables({
          ...program.variables,
          TMPDIR: temporary,
          // The person's own caches are read-only.
          XDG_CACHE_HOME: `${temporary}/.cache`,
          npm_config_cache: `${temporary}/.cache/npm`,
          ...(this.#proxy && !isReadOnly && proxyVariables(proxyAddress)),
        }),
        ...["--json-status-fd", String(statusDescriptor)],
        ...["--chdir", cwd],
        "--",
        ...(isExposed
          ? await checkedStart(exposed, { shell: programs.bash, argv, descriptor })
          : argv),
      ],
      inputs: this.#filter,
      reports: isExposed ? 2 : 1,
      outcome([status = "", check = ""]) {
        return isExposed && !isChecked(check) ? { started: false } : outcomeOf(status);
      },
      async appeared() {
        const now = await findNow();
        return [...now].flatMap(([path, is]) => (before.get(path) === is ? [] : [path]));
      },
      refusedHosts,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const network of Object.values(this.#networks)) {
      (await orNothing(network ?? Promise.resolve(undefined), undefined))?.[Symbol.dispose]();
    }
    await this.#proxy?.[Symbol.asyncDispose]();
  }

  /** The network of its own that a command gets; undefined if it has the machine's. */
  async #network(isReadOnly: boolean): Promise<OwnNetwork | undefined> {
    if (this.#options.confinement.network === "open" && !isReadOnly) return undefined;
    const kind = isReadOnly ? "read-only" : "usual";
    const opening = this.#networks[kind] ?? this.#openNetwork(isReadOnly);
    this.#networks[kind] = opening;
    try {
      return await opening;
    } catch (error) {
      // The next command tries again.
      if (this.#networks[kind] === opening) this.#networks[kind] = undefined;
      throw error;
    }
  }

  async #openNetwork(isReadOnly: boolean): Promise<OwnNetwork> {
    const { programs, confinement } = this.#options;
    const { network: hosts, askHost: ask } = confinement;
    if (isReadOnly || typeof hosts === "string") return OwnNetwork.open(programs);
    const { HostProxy } = await import("./network/host-proxy.ts");
    const proxy = this.#proxy ?? new HostProxy({ hosts, ask });
    this.#proxy = proxy;
    return OwnNetwork.open(programs, (socket) => proxy.accept(socket));
  }
}

function entered(network: OwnNetwork | undefined, program: string): [string, ...string[]] {
  return network ? [...network.entering, program] : [program];
}

/**
 * Without `--new-session`: the command has a session of its own already, and stays in the group that
 * is signalled to end it. Capabilities are dropped for root, who could change mounts with them.
 */
function namespaces(disablesNamespaces: boolean): string[] {
  return [
    "--die-with-parent",
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
    "--unshare-cgroup-try",
    ...(disablesNamespaces ? ["--disable-userns"] : []),
    ...["--cap-drop", "ALL"],
  ];
}

function variables(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ["--setenv", name, value]);
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
