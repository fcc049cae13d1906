import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { hasErrno } from "../errors.ts";

const loopback = "127.0.0.1";

/**
 * Requests are small and complete at once; a slower client only occupies a connection.
 */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
} as const;

/** More than a browser opens, and far fewer than the files that a team may have open. */
export const mostConnections = 128;

/** How many ports are tried one after the other, before any free one is used. */
const neighbours = 20;

/** What answers requests. The bindings have what Node knows of the connection. */
export interface RequestHandler {
  fetch(request: Request, bindings: object): Response | Promise<Response>;
}

/** A server on this machine's loopback that answers nothing yet. */
export class LoopbackServer implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #connections = new Connections(mostConnections);

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
    server.on("connection", (socket) => this.#connections.add(socket));
  }

  /** Listens on the wanted port, or on the next one that is free. Throws what Node does where it cannot listen. */
  static async listen(wanted: number): Promise<LoopbackServer> {
    const server = createServer(limits);
    const last = Math.min(wanted + neighbours, highestPort);
    for (let port = wanted; port <= last; port++) {
      if (await isListening(server, port)) return new LoopbackServer(server, portOf(server));
    }
    await isListening(server, anyPort);
    return new LoopbackServer(server, portOf(server));
  }

  /** The address on which it listens, from the system. */
  get address(): ReturnType<Server["address"]> {
    return this.#server.address();
  }

  /** Makes `app` answer from now on. What it cannot answer at all has `headers`, too. */
  answerWith(app: RequestHandler, headers: Readonly<Record<string, string>> = {}): void {
    const listener = getRequestListener((request, bindings) => app.fetch(request, bindings), {
      // The team's process keeps its own `Request` and `Response`.
      overrideGlobalObjects: false,
      errorHandler: () => new Response(null, { status: 400, headers: { ...headers } }),
    });
    this.#server.on("request", listener);
  }

  /** Keeps the connection of a request from being closed in favour of others. */
  keep(bindings: unknown): void {
    this.#connections.keep(bindings);
  }

  /** Ends all connections at once, including streams. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

const anyPort = 0;
const highestPort = 65_535;

/** False if another program has the port. */
async function isListening(server: Server, port: number): Promise<boolean> {
  try {
    server.listen({ port, host: loopback, exclusive: true });
    await once(server, "listening");
    return true;
  } catch (error) {
    if (hasErrno(error, "EADDRINUSE")) return false;
    throw error;
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("It listens on no port");
  return address.port;
}

/**
 * The connections of a server, at most `most` at a time. Any program of this machine can open some
 * and send nothing. So when there are too many, connections without access are closed: first those
 * that have sent nothing, the oldest first. A browser sends its request at once, so that a program
 * that fills the server ends only its own connections.
 */
class Connections {
  readonly #most: number;
  readonly #open = new Set<Socket>();
  /** Connections without a valid session so far, oldest first. */
  readonly #strangers = new Set<Socket>();
  #willTrim = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(socket: Socket): void {
    this.#open.add(socket);
    this.#strangers.add(socket);
    socket.once("close", () => {
      this.#open.delete(socket);
      this.#strangers.delete(socket);
    });
    if (this.#open.size > surplus * this.#most) this.#trim();
    else if (this.#open.size > this.#most) this.#trimSoon();
  }

  /** Keeps the connection that has these bindings: it has access. */
  keep(bindings: unknown): void {
    const socket = socketOf(bindings);
    if (socket) this.#strangers.delete(socket);
  }

  /**
   * Waits two turns of the event loop: a request that is sent at once is read in the turn after the
   * connection was accepted.
   */
  #trimSoon(): void {
    if (this.#willTrim) return;
    this.#willTrim = true;
    setImmediate(() => setImmediate(() => this.#trim()));
  }

  #trim(): void {
    this.#willTrim = false;
    const silent = [...this.#strangers].filter(({ bytesRead }) => bytesRead === 0);
    for (const socket of new Set([...silent, ...this.#strangers])) {
      if (this.#open.size <= this.#most) return;
      // Not only when it is closed: until then more connections may come.
      this.#open.delete(socket);
      this.#strangers.delete(socket);
      socket.destroy();
    }
  }
}

/** The factor by which `most` may be exceeded for a moment, however fast they come. */
const surplus = 4;

/** On a real server, the bindings of a request contain Node's incoming message. */
function socketOf(bindings: unknown): Socket | undefined {
  if (typeof bindings !== "object" || bindings === null || !("incoming" in bindings)) return;
  const { incoming } = bindings;
  if (typeof incoming !== "object" || incoming === null || !("socket" in incoming)) return;
  return incoming.socket instanceof Socket ? incoming.socket : undefined;
}
