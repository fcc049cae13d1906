import { once } from "node:events";
import { realpath } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { orNothing } from "../lib/or-nothing.ts";
import { isChecked, saidChecked } from "./checked-start.ts";
import type { HostProxy } from "./network/host-proxy.ts";
import { proxyVariables } from "./network/proxy-variables.ts";
import { protectedNow } from "./protected-now.ts";
import type { ConfinedProgram, Confinement, ProgramToConfine, Sandbox } from "./sandbox.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";
import { type SpecialPlace, specialPlaces } from "./special-places.ts";

const sandboxExec = "/usr/bin/sandbox-exec";

export interface SeatbeltOptions {
  /** The path of bash, outside every workspace. */
  readonly bash: string;
  readonly confinement: Confinement;
}

/** Where the temporary files of other programs are, and the sockets of some, and other people's homes. */
const shared = ["/Users", "/private/tmp", "/private/var/tmp", "/private/var/folders"];

/**
 * Confines by a profile of macOS. It has no processes, files or network of its own: what a command must not have, it is
 * refused. So commands have no loopback interface for themselves, and cannot run a server.
 */
export class Seatbelt implements Sandbox {
  readonly #options: SeatbeltOptions;
  #proxy: Promise<{ proxy: HostProxy; server: Server; port: number }> | undefined;

  constructor(options: SeatbeltOptions) {
    this.#options = options;
  }

  async confine(program: ProgramToConfine): Promise<ConfinedProgram> {
    const { argv, isTrial = false } = program;
    const isReadOnly = isTrial || (program.isReadOnly ?? false);
    const { bash, confinement } = this.#options;
    const findNow = async () =>
      isReadOnly ? new Map<string, string>() : protectedNow(confinement);
    const before = await findNow();
    const hosts = confinement.network;
    const isListed = !isReadOnly && typeof hosts !== "string";
    const opened = isListed ? await this.#openProxy(hosts) : undefined;
    const usual = typeof hosts === "string" ? hosts : "off";
    const temporary = await orNothing(realpath(confinement.temporary), confinement.temporary);
    const profile = seatbeltProfile({
      places: await placesOf(confinement, { protects: [...before.keys()], isReadOnly, isTrial }),
      ...{ temporary, isReadOnly },
      network: opened ? { proxyPort: opened.port } : isReadOnly ? "off" : usual,
    });
    const variables = {
      ...program.variables,
      TMPDIR: temporary,
      XDG_CACHE_HOME: `${temporary}/.cache`,
      npm_config_cache: `${temporary}/.cache/npm`,
      ...(opened && proxyVariables(`http://127.0.0.1:${opened.port}`)),
    };
    const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    return {
      argv: [sandboxExec, "-p", profile, "/usr/bin/env", ...set, ...saidChecked(bash, argv)],
      inputs: [],
      reports: 1,
      // It becomes the program, whose end is its own.
      outcome: ([said = ""]) => ({ started: isChecked(said) }),
      async appeared() {
        const now = await findNow();
        return [...now].flatMap(([path, is]) => (before.get(path) === is ? [] : [path]));
      },
      refusedHosts: opened?.proxy.watch() ?? (() => []),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await this.#proxy;
    opened?.server.close();
    await opened?.proxy[Symbol.asyncDispose]();
  }

  #openProxy(hosts: readonly string[]) {
    this.#proxy ??= openProxy({ hosts, ask: this.#options.confinement.askHost });
    return this.#proxy;
  }
}

async function placesOf(
  confinement: Confinement,
  reach: { protects: readonly string[]; isReadOnly: boolean; isTrial: boolean },
): Promise<SpecialPlace[]> {
  const home = await orNothing(realpath(confinement.home), confinement.home);
  const around: SpecialPlace[] = [
    ...shared.map((path) => ({ path, kind: "hidden" as const })),
    ...(reach.isTrial ? [] : [{ path: home, kind: "read-only" as const }]),
  ];
  return [...around, ...(await specialPlaces(confinement, { ...reach, home }))];
}

async function openProxy(options: ConstructorParameters<typeof HostProxy>[0]) {
  const { HostProxy } = await import("./network/host-proxy.ts");
  const proxy = new HostProxy(options);
  const server = createServer((socket) => proxy.accept(socket)).unref();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The proxy has no port");
  return { proxy, server, port: address.port };
}
