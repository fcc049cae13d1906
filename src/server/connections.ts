import { Socket } from "node:net";

/**
 * The connections of a server, `most` at a time. Any program of this machine can open some and say
 * nothing. So when there are too many, strangers have to go, by whose connections nobody was let in:
 * first those that have said nothing, the oldest first. A browser says at once who it is, so that
 * a program that fills the server ends only its own connections.
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

  /** Keeps the connection that has these bindings: somebody was let in by it. */
  keep(bindings: unknown): void {
    const socket = socketOf(bindings);
    if (socket) this.#strangers.delete(socket);
  }

  /** Two turns later: what a connection says at once is read in the turn after it was accepted. */
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
      // Not when it is closed, which takes a moment in which more may come.
      this.#open.delete(socket);
      this.#strangers.delete(socket);
      socket.destroy();
    }
  }
}

/** The factor by which `most` may be exceeded for a moment, however fast they come. */
const surplus = 4;

/** Where a real server answers, the bindings of a request have what Node reads it from. */
function socketOf(bindings: unknown): Socket | undefined {
  if (typeof bindings !== "object" || bindings === null || !("incoming" in bindings)) return;
  const { incoming } = bindings;
  if (typeof incoming !== "object" || incoming === null || !("socket" in incoming)) return;
  return incoming.socket instanceof Socket ? incoming.socket : undefined;
}
