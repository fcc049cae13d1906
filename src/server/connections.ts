import { Socket } from "node:net";

/**
 * The connections of a server, `most` at a time. Any program of this machine can open some and say
 * nothing. So when there are too many, the oldest one by which nobody was let in has to go: a
 * browser says at once who it is, and whoever fills the server ends nothing but connections of his own.
 */
export class Connections {
  readonly #most: number;
  readonly #open = new Set<Socket>();
  /** Those by which nobody was let in so far, oldest first. */
  readonly #strangers = new Set<Socket>();

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
    if (this.#open.size > this.#most) this.#end(this.#strangers);
  }

  /** Keeps the connection that has these bindings: somebody was let in by it. */
  keep(bindings: unknown): void {
    const socket = socketOf(bindings);
    if (socket) this.#strangers.delete(socket);
  }

  #end([oldest]: Iterable<Socket>): void {
    // Not when it is closed, which takes a moment in which more may come.
    if (oldest && this.#open.delete(oldest) && this.#strangers.delete(oldest)) oldest.destroy();
  }
}

/** Where a real server answers, the bindings of a request have what Node reads it from. */
function socketOf(bindings: unknown): Socket | undefined {
  if (typeof bindings !== "object" || bindings === null || !("incoming" in bindings)) return;
  const { incoming } = bindings;
  if (typeof incoming !== "object" || incoming === null || !("socket" in incoming)) return;
  return incoming.socket instanceof Socket ? incoming.socket : undefined;
}
