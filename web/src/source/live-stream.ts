import type { StreamEvents } from "../../../src/protocol/dashboard.ts";
import type { Connection } from "./source.ts";

/** The events of one connection. */
export interface ConnectionEvents {
  onOpen(): void;
  onEvent(name: keyof StreamEvents, data: string, id: string): void;
  /** The connection has ended: it was lost, or the server reports that this page has no session. */
  onEnd(how: "lost" | "locked"): void;
}

/** The dependencies of a stream. */
export interface StreamDependencies {
  /** Opens a connection. The returned function closes it. */
  open(url: string, ends: ConnectionEvents): () => void;
  /** Exchanges the token for a session. */
  admit(token: string): Promise<"admitted" | "refused" | "unreachable">;
  later(ms: number, work: () => void): () => void;
  now(): Date;
}

export interface StreamListener {
  onConnection(connection: Connection): void;
  onEvent(name: keyof StreamEvents, data: string): void;
}

const shortestMs = 500;
const longestMs = 5_000;

export function delayMs(attempts: number): number {
  return Math.min(longestMs, shortestMs * 2 ** Math.min(attempts, 10));
}

/**
 * The team's changes as they arrive. A lost connection is opened again automatically, and continues
 * after the last event.
 */
export class LiveStream {
  readonly #world: StreamDependencies;
  readonly #teller: StreamListener;
  #token: string | null;
  #wasRefused = false;
  #watched: string | null = null;
  #lastId = "";
  #attempts = 0;
  #lostSince: string | null = null;
  /** The number of the current connection: events of older ones are ignored. */
  #turn = 0;
  #close: (() => void) | null = null;
  #cancelRetry: (() => void) | null = null;
  #state: "closed" | "trying" | "open" | "waiting" | "locked" = "closed";

  constructor(world: StreamDependencies, teller: StreamListener, token: string | null) {
    this.#world = world;
    this.#teller = teller;
    this.#token = token;
  }

  /** True from a loss, or a refusal, until this page's own server answers again. */
  get isLost(): boolean {
    return this.#lostSince !== null || this.#state === "locked";
  }

  start(): void {
    this.#end();
    this.#state = "trying";
    const turn = ++this.#turn;
    if (this.#token === null) this.#open(turn);
    else void this.#admit(this.#token, turn).catch(() => this.#lose(turn));
  }

  stop(): void {
    this.#end();
    this.#turn++;
    this.#state = "closed";
  }

  /** Makes the next attempt at once. */
  hurry(): void {
    if (this.#state === "waiting") this.start();
  }

  /** Tries again after a refusal, with the session of another tab. */
  retry(): void {
    if (this.#state === "locked") this.start();
  }

  /** Starts again with the token of another address. */
  unlock(token: string): void {
    this.#token = token;
    this.#attempts = 0;
    this.start();
  }

  /** Ends the stream because the session is no longer valid. */
  lock(): void {
    this.#end();
    this.#turn++;
    this.#state = "locked";
    const reason = this.#lastId === "" ? "missing" : "ended";
    this.#teller.onConnection({ type: "locked", reason: this.#wasRefused ? "expired" : reason });
  }

  watch(member: string | null): void {
    if (member === this.#watched) return;
    this.#watched = member;
    if (this.#state === "open" || this.#state === "trying") this.start();
  }

  async #admit(token: string, turn: number): Promise<void> {
    const outcome = await this.#world.admit(token);
    if (turn !== this.#turn) return;
    if (outcome === "unreachable") {
      this.#lose(turn);
      return;
    }
    this.#token = null;
    // The session from an earlier token may still be valid.
    this.#wasRefused = outcome === "refused";
    this.#open(turn);
  }

  #open(turn: number): void {
    this.#close = this.#world.open(streamUrl(this.#watched, this.#lastId), {
      onOpen: () => {
        if (turn === this.#turn) this.#opened();
      },
      onEvent: (name, data, id) => {
        if (turn !== this.#turn) return;
        if (id !== "") this.#lastId = id;
        this.#teller.onEvent(name, data);
      },
      onEnd: (how) => {
        if (turn !== this.#turn) return;
        if (how === "locked") this.lock();
        else this.#lose(turn);
      },
    });
  }

  #opened(): void {
    this.#state = "open";
    this.#attempts = 0;
    this.#lostSince = null;
    this.#teller.onConnection({ type: "connected" });
  }

  #lose(turn: number): void {
    if (turn !== this.#turn) return;
    this.#end();
    this.#state = "waiting";
    this.#lostSince ??= this.#world.now().toISOString();
    this.#teller.onConnection({ type: "lost", since: this.#lostSince });
    this.#cancelRetry = this.#world.later(delayMs(this.#attempts++), () => this.start());
  }

  #end(): void {
    this.#close?.();
    this.#close = null;
    this.#cancelRetry?.();
    this.#cancelRetry = null;
  }
}

function streamUrl(watched: string | null, after: string): string {
  const query = new URLSearchParams();
  if (watched !== null) query.set("watch", watched);
  if (after !== "") query.set("after", after);
  return query.size > 0 ? `/api/stream?${query}` : "/api/stream";
}
