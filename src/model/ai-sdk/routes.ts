import { readFile } from "node:fs/promises";
import { request as httpRequest, type RequestOptions } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { Socket } from "node:net";
import tls, { connect, createSecureContext, type SecureContext } from "node:tls";
import { TeamError } from "../../errors.ts";
import type { EnvironmentVariables } from "../provider-settings.ts";
import { type ProxyServer, proxyFor } from "./proxy.ts";
import { ProxyFailure, proxyRefusal } from "./proxy-failure.ts";

/** As Node's own agent: an idle connection may have been dropped by then without a word. */
const connections = { keepAlive: true, scheduling: "lifo", timeout: 5_000 } as const;

/** How one request is sent. */
export interface HttpRoute {
  readonly request: typeof httpRequest;
  /** The server to connect to: the target's, or a proxy. */
  readonly url: string | URL;
  readonly options: RequestOptions;
  /** The proxy that answers for the server. */
  readonly proxy?: ProxyServer;
}

/** The ways to servers where a proxy or further certificates are configured. */
export class Routes {
  readonly #env: EnvironmentVariables;
  /** Texts in PEM format, in addition to Node's own certificates. */
  readonly #certificates: readonly string[];
  #secureContext: SecureContext | undefined;
  #direct: Agent | undefined;
  /** By the proxy's address: each keeps its connections for later requests. */
  readonly #tunnels = new Map<string, Agent>();

  private constructor(env: EnvironmentVariables, certificates: readonly string[]) {
    this.#env = env;
    this.#certificates = certificates;
  }

  /** Throws `config-invalid` if a proxy or a file of certificates cannot be used. */
  static async open(env: EnvironmentVariables): Promise<Routes> {
    for (const scheme of ["http", "https"]) proxyFor(new URL(`${scheme}://host.invalid`), env);
    return new Routes(env, await certificatesOf(env));
  }

  to(url: string): HttpRoute {
    const target = new URL(url);
    const proxy = proxyFor(target, this.#env);
    if (target.protocol === "https:") {
      return { request: httpsRequest, url, options: { agent: this.#agentFor(proxy) } };
    }
    if (!proxy) return { request: httpRequest, url, options: {} };
    const headers = { host: target.host, ...authorizationFor(proxy) };
    return { ...this.#routeTo(proxy), options: { path: url, headers }, proxy };
  }

  /** How the proxy itself is reached. */
  #routeTo({ url }: ProxyServer): HttpRoute {
    return url.protocol === "https:"
      ? { request: httpsRequest, url, options: { agent: this.#agentFor(undefined) } }
      : { request: httpRequest, url, options: {} };
  }

  #agentFor(proxy: ProxyServer | undefined): Agent {
    if (!proxy) {
      this.#direct ??= this.#agent();
      return this.#direct;
    }
    const known = this.#tunnels.get(proxy.url.href) ?? this.#tunnelAgent(proxy);
    this.#tunnels.set(proxy.url.href, known);
    return known;
  }

  #agent(): Agent {
    if (this.#certificates.length === 0) return new Agent(connections);
    // Made only for https: Node's own certificates are many.
    this.#secureContext ??= createSecureContext({
      ca: [...defaultCertificates(tls), ...this.#certificates],
    });
    return new Agent({ ...connections, secureContext: this.#secureContext });
  }

  #tunnelAgent(proxy: ProxyServer): Agent {
    const agent = this.#agent();
    const { secureContext } = agent.options;
    agent.createConnection = ({ host: name, port, servername = "" }, done = () => {}) => {
      const host = name ?? "";
      const secure = {
        host,
        servername,
        ALPNProtocols: ["http/1.1"],
        ...(secureContext && { secureContext }),
      };
      openTunnel(this.#routeTo(proxy), proxy, { host, port }).then(
        (socket) => done(null, connect({ ...secure, socket })),
        // With an error, nobody looks at the socket.
        (error: Error) => done(error, new Socket()),
      );
      return undefined;
    };
    return agent;
  }
}

/** How long a proxy may take to answer. */
const tunnelMs = 30_000;

/** Has the proxy connect to `target`. From then on it passes bytes on. */
function openTunnel(
  route: HttpRoute,
  proxy: ProxyServer,
  { host, port }: { host: string; port: RequestOptions["port"] },
): Promise<Socket> {
  const path = `${host.includes(":") ? `[${host}]` : host}:${port ?? 443}`;
  return new Promise((resolve, reject) => {
    const headers = { host: path, ...authorizationFor(proxy) };
    const options = { ...route.options, method: "CONNECT", path, headers };
    const request = route.request(route.url, options);
    const fail = (what: string) => reject(new ProxyFailure("PROXY_UNREACHABLE", what));
    request.setTimeout(tunnelMs, () => {
      fail(`the proxy ${proxy.place} did not answer within ${tunnelMs / 1000} s`);
      request.destroy();
    });
    request.on("error", ({ message }) => {
      fail(`the proxy ${proxy.place} cannot be reached: ${message}`);
    });
    request.on("connect", ({ statusCode = 0 }, socket, head) => {
      socket.setTimeout(0);
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        reject(proxyRefusal(proxy.place, statusCode));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.end();
  });
}

function authorizationFor({ authorization }: ProxyServer): Record<string, string> {
  return authorization === undefined ? {} : { "proxy-authorization": authorization };
}

async function certificatesOf(env: EnvironmentVariables): Promise<string[]> {
  const names = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"].filter((name) => env[name]);
  return Promise.all(names.map((name) => readCertificates(name, env[name] ?? "")));
}

async function readCertificates(name: string, path: string): Promise<string> {
  const refuse = (problem: string, cause?: unknown) => {
    const hint = `Set ${name} to a file with certificates in PEM format, or unset it.`;
    return new TeamError("config-invalid", `${name} ${problem}`, { hint, cause });
  };
  try {
    const text = await readFile(path, "utf8");
    if (text.includes("-----BEGIN")) return text;
  } catch (error) {
    if (!(error instanceof Error && "errno" in error)) throw error;
    throw refuse(`cannot be read: ${error.message}`, error);
  }
  throw refuse(`is ${path}, which has no certificates`);
}

/** The part of `node:tls` that knows whom Node trusts. */
interface TrustedByNode {
  readonly rootCertificates: readonly string[];
  /** Since Node 22.15; with those of the system, if `--use-system-ca` asks for them. */
  getCACertificates?(type: "default"): readonly string[];
}

/** The certificates that Node would trust if none were given. */
export function defaultCertificates(node: TrustedByNode): readonly string[] {
  return node.getCACertificates?.("default") ?? node.rootCertificates;
}
