import { BlockList, isIP } from "node:net";
import { TeamError } from "../../errors.ts";
import { decoded } from "../../lib/decoded.ts";
import type { EnvironmentVariables } from "../provider-settings.ts";

/** A proxy, as a person's environment names it. */
export interface ProxyServer {
  /** Without credentials. */
  readonly url: URL;
  /** Name and port, for messages. */
  readonly place: string;
  /** The value of `Proxy-Authorization`. */
  readonly authorization: string | undefined;
}

/**
 * The proxy for requests to `target`; undefined if they are sent directly. As with curl, the lower-case
 * variable wins, and the own machine is no exception unless `NO_PROXY` has it.
 */
export function proxyFor(target: URL, env: EnvironmentVariables): ProxyServer | undefined {
  const scheme = target.protocol === "https:" ? "https" : "http";
  const names = [`${scheme}_proxy`, `${scheme}_proxy`.toUpperCase(), "all_proxy", "ALL_PROXY"];
  const name = names.find((each) => env[each]);
  if (name === undefined) return undefined;
  if (isExempt(target, env.no_proxy || env.NO_PROXY || "")) return undefined;
  return readProxy(name, env[name] ?? "");
}

function readProxy(name: string, value: string): ProxyServer {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url?.hostname || !/^https?:$/.test(url.protocol)) {
    // Its value may have a password.
    throw new TeamError("config-invalid", `${name} is not the address of an HTTP proxy`, {
      hint: `Set ${name} to an address such as http://proxy.example:3128. SOCKS proxies are not supported.`,
    });
  }
  const { username, password, hostname } = url;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const credentials = `${decoded(username)}:${decoded(password)}`;
  const basic = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return {
    url: new URL(`${url.protocol}//${hostname}:${port}`),
    place: `${hostname}:${port}`,
    authorization: username || password ? basic : undefined,
  };
}

/** Whether `list`, the value of `NO_PROXY`, has the host: by name, domain, address or network. */
function isExempt(target: URL, list: string): boolean {
  const host = plainHost(target.hostname);
  const port = target.port || (target.protocol === "https:" ? "443" : "80");
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => entry === "*" || covers(entry, host, port));
}

function covers(entry: string, host: string, port: string): boolean {
  if (isIP(host) && entry.includes("/")) return isInNetwork(entry, host);
  const [, name = "", only] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (only !== undefined && only !== port) return false;
  const domain = plainHost(name.replace(/^\*?\./, ""));
  if (domain === "") return false;
  return host === domain || (!isIP(host) && host.endsWith(`.${domain}`));
}

function isInNetwork(entry: string, host: string): boolean {
  const [network = "", prefix = ""] = entry.split("/");
  const family = isIP(host) === 6 ? "ipv6" : "ipv4";
  const bits = Number(prefix);
  const isValid = isIP(network) === isIP(host) && bits <= (family === "ipv6" ? 128 : 32);
  if (!isValid || prefix === "") return false;
  const list = new BlockList();
  list.addSubnet(network, bits, family);
  return list.check(host, family);
}

/** Without the brackets of an IPv6 address, and without the dot at the end of a name. */
function plainHost(name: string): string {
  return name.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}
