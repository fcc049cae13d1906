import { lookup } from "node:dns/promises";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isAllowedHost } from "../../lib/allowed-hosts.ts";
import { orNothing } from "../../lib/or-nothing.ts";
import { isPublicAddress } from "../../lib/public-address.ts";
import { type AskHost, HostQuestions } from "./host-questions.ts";

export interface HostProxyOptions {
  /** The hosts that may be reached. */
  readonly hosts: readonly string[];
  /** Asks the person about a host that the list does not have, once for each (default: it is refused). */
  readonly ask?: AskHost | undefined;
  /** The addresses of a name (default: as this machine resolves it). */
  readonly resolve?: ((name: string) => Promise<readonly string[]>) | undefined;
  /** Opens a connection to an address (default: over the network of this machine). */
  readonly connect?: ((address: string, port: number) => Socket) | undefined;
}

interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** Why nothing was connected, with the status that says so in HTTP. */
interface Refusal {
  readonly status: 400 | 403 | 502;
  readonly text: string;
}

const maxConnections = 256;
const connectMs = 10_000;
const idleMs = 600_000;
/** So many of a name's addresses are tried. */
const maxAddresses = 4;
const maxRemembered = 100;
/** No name has more. */
const maxNameCharacters = 253;

/** Lets commands reach some hosts, over HTTP or by tunnels. Each member has its own, on its own loopback. */
export class HostProxy implements AsyncDisposable {
  readonly #options: HostProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #questions: HostQuestions | undefined;
  readonly #refused: string[] = [];
  #refusals = 0;

  constructor(options: HostProxyOptions) {
    this.#options = options;
    this.#questions = options.ask && new HostQuestions(options.ask);
    this.#server = createServer((incoming, response) => {
      this.#forward(incoming, response).catch((error) => response.destroy(toError(error)));
    });
    this.#server.on("connect", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#tunnel(incoming, socket, head).catch((error) => socket.destroy(toError(error)));
    });
    this.#server.on("clientError", (_, socket) => socket.destroy());
  }

  /** Serves a connection of a command. */
  accept(socket: Socket): void {
    if (this.#sockets.size >= maxConnections) {
      socket.destroy();
      return;
    }
    this.#keep(socket);
    socket.setTimeout(idleMs, () => socket.destroy());
    this.#server.emit("connection", socket);
  }

  /** From now on: which hosts were refused, each once. */
  watch(): () => readonly string[] {
    const begun = this.#refusals;
    return () => {
      const count = this.#refusals - begun;
      return count === 0 ? [] : [...new Set(this.#refused.slice(-count))];
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await this.#questions?.[Symbol.asyncDispose]();
  }

  async #tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const upstream = await this.#reach(targetOf(`http://${incoming.url}`), socket);
    if ("status" in upstream) {
      const { status, text } = upstream;
      socket.end(
        `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
      );
      return;
    }
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) upstream.write(head);
    // Either side may end at any time.
    await orNothing(pipeline(socket, upstream, socket), undefined);
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(incoming.url ?? "");
    const upstream =
      url?.protocol === "http:"
        ? await this.#reach(targetOf(url.href), incoming.socket)
        : { status: 400 as const, text: "Only http: addresses and CONNECT are forwarded.\n" };
    if ("status" in upstream) {
      response.writeHead(upstream.status, { "content-type": "text/plain" }).end(upstream.text);
      return;
    }
    const outgoing = request({
      createConnection: () => upstream,
      method: incoming.method,
      path: `${url?.pathname}${url?.search}`,
      // The name that was checked, and not the one that the command states beside it.
      headers: { ...forwarded(incoming), host: url?.host, connection: "close" },
    });
    const sent = orNothing(pipeline(incoming, outgoing), undefined);
    try {
      const [answer] = await once(outgoing, "response");
      response.writeHead(answer.statusCode, answer.headers);
      await orNothing(pipeline(answer, response), undefined);
    } catch {
      response.destroy();
    } finally {
      upstream.destroy();
      await sent;
    }
  }

  /** A connection to a host that may be reached, or why there is none. */
  async #reach(target: ProxyTarget | undefined, asker: Duplex): Promise<Socket | Refusal> {
    if (!target) return { status: 400, text: "The address of the request cannot be read.\n" };
    const { host, port } = target;
    const name = `${host}:${port}`;
    if (
      !isAllowedHost(this.#options.hosts, host, port) &&
      !(await this.#isPermitted(name, asker))
    ) {
      return this.#refuse(name, "the sandbox's list of hosts does not have it");
    }
    const addresses = isIP(host) ? [host] : await orNothing(this.#resolve(host), []);
    if (!addresses.every(isPublicAddress)) {
      return this.#refuse(name, "it is an address of this machine or its network");
    }
    for (const address of addresses.slice(0, maxAddresses)) {
      const socket = await this.#connect(address, port);
      if (socket) return socket;
    }
    return { status: 502, text: `${name} cannot be reached.\n` };
  }

  async #isPermitted(name: string, asker: Duplex): Promise<boolean> {
    if (!this.#questions) return false;
    const gone = new AbortController();
    const leave = () => gone.abort();
    asker.once("close", leave);
    try {
      return await this.#questions.isPermitted(name, gone.signal);
    } finally {
      asker.off("close", leave);
    }
  }

  #refuse(name: string, reason: string): Refusal {
    this.#refused.push(name);
    if (this.#refused.length > maxRemembered) this.#refused.shift();
    this.#refusals++;
    return { status: 403, text: `${name} is refused: ${reason}.\n` };
  }

  /** Once for each connection: a name that leads elsewhere later does not matter. */
  async #resolve(name: string): Promise<readonly string[]> {
    if (this.#options.resolve) return this.#options.resolve(name);
    return (await lookup(name, { all: true })).map(({ address }) => address);
  }

  async #connect(address: string, port: number): Promise<Socket | undefined> {
    const socket = this.#options.connect?.(address, port) ?? connect({ host: address, port });
    this.#keep(socket);
    socket.setTimeout(connectMs, () => socket.destroy(new Error("It does not answer")));
    try {
      await once(socket, "connect");
      socket.setTimeout(idleMs);
      return socket;
    } catch {
      socket.destroy();
      return undefined;
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function targetOf(address: string): ProxyTarget | undefined {
  const url = urlOf(address);
  if (url?.username !== "" || url.password !== "") return undefined;
  const host = url.hostname.replace(/^\[|\]$|\.$/g, "");
  const isName = host !== "" && host.length <= maxNameCharacters;
  return isName ? { host, port: Number(url.port || 80) } : undefined;
}

/** The headers that are for the host, and not for the proxy. */
function forwarded({ headers }: IncomingMessage): IncomingMessage["headers"] {
  const own = new Set(["host", "connection", "keep-alive", "upgrade", "te", "trailer"]);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !own.has(name) && !name.startsWith("proxy-")),
  );
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
