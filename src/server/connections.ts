import { Socket } from "node:net";

/**
 * The connections of a server, at most `most` at a time. Any program of this machine can open some
 * and send nothing. So when there are too many, connections without access are closed: first those
 * that have sent nothing, the oldest first. A browser sends its request at once, so that a program
 * that fills the server ends only its own connections.
 */
export class Connections {
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
