import { hostPresets } from "../protocol/sandbox-network.ts";

const usualPorts = [80, 443];

/** Whether a list of hosts, as `SandboxNetwork` describes it, has this one. */
export function isAllowedHost(list: readonly string[], host: string, port: number): boolean {
  const entries = list.flatMap((entry) => hostPresets[entry] ?? [entry]);
  return entries.some((entry) => covers(entry.toLowerCase(), host.toLowerCase(), port));
}

function covers(entry: string, host: string, port: number): boolean {
  const [name = "", ownPort] = entry.split(":");
  const isPort = ownPort === undefined ? usualPorts.includes(port) : Number(ownPort) === port;
  const isHost = name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
  return isPort && isHost;
}
