import { reasonOf, TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { wait } from "../lib/wait.ts";
import type { McpConnection } from "./connection.ts";
import type { ServerList } from "./server-list.ts";

/** What of a server is known at the moment, for people. */
export type ServerState =
  | { readonly type: "not-started" }
  | { readonly type: "starting" }
  | { readonly type: "ready" }
  | { readonly type: "failed"; readonly reason: string };

interface LinkEvents {
  onChanged(): void;
  onClosed(reason: string): void;
}

export interface ServerLinkOptions {
  readonly name: string;
  readonly clock: Clock;
  /** Starts the server, or connects to it. Throws where it cannot. */
  open(events: LinkEvents, signal: AbortSignal): Promise<McpConnection>;
  /** What it offers, as soon as it is ready and whenever that changes. */
  onList(list: ServerList): void;
  /** Called once when it cannot be used, and again only if it was ready for a while in between. */
  onTrouble(reason: string): void;
}

/** The pauses before it is tried again, by how often in a row it has failed. */
const pausesMs = [0, 1_000, 5_000, 30_000, 60_000];
/** A longer pause is not waited for: the call is told when to come again. */
const longestWaitMs = 5_000;
/** One that was ready for so long begins with the first pause again. */
const stableMs = 60_000;

/** A server of a team: started when it is first needed, and again, after a pause, when it has ended. */
export class ServerLink implements AsyncDisposable {
  readonly #options: ServerLinkOptions;
  readonly #closing = new AbortController();
  #opening: Promise<McpConnection> | undefined;
  #connection: McpConnection | undefined;
  #state: ServerState = { type: "not-started" };
  #failures = 0;
  #failedAtMs = 0;
  #readyAtMs = 0;
  #isToldOf = false;

  constructor(options: ServerLinkOptions) {
    this.#options = options;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Begins to start it. A failure is told by `onTrouble`, and thrown to the next call. */
  prepare(): void {
    if (this.#failures === 0) this.connection(this.#closing.signal).catch(() => undefined);
  }

  /** The connection, once the server is ready. Throws `mcp-failed` where it is not to be had. */
  async connection(signal: AbortSignal): Promise<McpConnection> {
    if (this.#connection?.isOpen) return this.#connection;
    if (this.#closing.signal.aborted) throw this.#unavailable("the team is being closed");
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return unlessAborted(this.#opening, signal);
  }

  async #open(): Promise<McpConnection> {
    const { clock } = this.#options;
    const pauseMs = this.#failures === 0 ? 0 : (pausesMs[this.#failures - 1] ?? 60_000);
    const leftMs = this.#failedAtMs + pauseMs - clock.monotonicMs();
    if (this.#failures > 0 && leftMs > longestWaitMs) throw this.#tooSoon(leftMs);
    if (this.#failures > 0 && leftMs > 0) await wait(clock, leftMs, this.#closing.signal);
    this.#state = { type: "starting" };
    try {
      return await this.#connect();
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async #connect(): Promise<McpConnection> {
    const { clock, open, onList } = this.#options;
    const { signal } = this.#closing;
    let opened: McpConnection | undefined;
    const events = {
      onChanged: () => void this.#refresh(opened).catch(() => undefined),
      onClosed: (reason: string) => this.#closed(opened, reason),
    };
    const connection = await open(events, signal);
    try {
      const list = await connection.list(signal);
      opened = connection;
      if (!connection.isOpen) throw new Error("it ended when it had just started");
      this.#connection = connection;
      this.#state = { type: "ready" };
      this.#readyAtMs = clock.monotonicMs();
      onList(list);
      return connection;
    } catch (error) {
      await connection[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #refresh(connection: McpConnection | undefined): Promise<void> {
    if (!connection?.isOpen) return;
    this.#options.onList(await connection.list(this.#closing.signal));
  }

  #closed(connection: McpConnection | undefined, reason: string): void {
    if (!connection || connection !== this.#connection || this.#closing.signal.aborted) return;
    this.#connection = undefined;
    const wasStable = this.#options.clock.monotonicMs() - this.#readyAtMs > stableMs;
    if (wasStable) {
      this.#failures = 0;
      this.#isToldOf = false;
    }
    this.#failed(new Error(reason));
  }

  #failed(error: unknown): TeamError {
    if (this.#closing.signal.aborted) return this.#unavailable("the team is being closed");
    this.#failures++;
    this.#failedAtMs = this.#options.clock.monotonicMs();
    const reason = reasonOf(error);
    this.#state = { type: "failed", reason };
    if (!this.#isToldOf) this.#options.onTrouble(reason);
    this.#isToldOf = true;
    return this.#unavailable(reason);
  }

  #tooSoon(leftMs: number): TeamError {
    const { type, ...rest } = this.#state;
    const reason = "reason" in rest ? rest.reason : type;
    return this.#unavailable(`${reason}. It is tried again in ${Math.ceil(leftMs / 1000)} s`);
  }

  #unavailable(reason: string): TeamError {
    return new TeamError(
      "mcp-failed",
      `The MCP server ${this.#options.name} is not available: ${reason}`,
      {
        hint: "Nothing was done. Go on without it, or try again later.",
      },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("the team is being closed"));
    await this.#opening?.catch(() => undefined);
    await this.#connection?.[Symbol.asyncDispose]();
  }
}

/** A caller that stops waiting does not stop the server from starting: others may need it. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
