import { z } from "zod";

/** The hosts that a word in a list of hosts stands for. */
export const hostPresets: Readonly<Record<string, readonly string[]>> = {
  npm: ["registry.npmjs.org", "registry.yarnpkg.com"],
  pip: ["pypi.org", "files.pythonhosted.org"],
  cargo: ["crates.io", "index.crates.io", "static.crates.io"],
  go: ["proxy.golang.org", "sum.golang.org"],
  github: ["github.com", "*.github.com", "*.githubusercontent.com"],
};

/** A host such as `example.com`, all below it as `*.example.com`, or one port of it as `example.com:8443`. */
const host = /^(\*\.)?([a-z0-9_-]+\.)+[a-z0-9-]+(:\d{1,5})?$/i;

/** What commands in a sandbox reach: nothing, the hosts of a list, or everything. */
export type SandboxNetwork = "off" | "open" | readonly string[];
export const SandboxNetwork = z.union([
  z.enum(["off", "open"]),
  z.array(z.string().refine(isHostEntry)),
]) satisfies z.ZodType<SandboxNetwork>;

/** True for an entry of a list of hosts. */
export function isHostEntry(text: string): boolean {
  return Object.hasOwn(hostPresets, text) || host.test(text);
}

export const sandboxNetworkWords = `off, open, or a list of hosts such as example.com, *.example.com, example.com:8443 or ${Object.keys(hostPresets).join(", ")}`;

/** True if one of the two may reach something that the other may not. */
export function isWiderNetwork(network: SandboxNetwork, other: SandboxNetwork): boolean {
  if (network === "off" || other === "open") return false;
  if (network === "open") return true;
  const hosts = other === "off" ? [] : other;
  return network.some((each) => !hosts.includes(each));
}
