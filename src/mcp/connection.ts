import type { Client, RequestOptions, Transport } from "@modelcontextprotocol/client";
import { reasonOf } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { onAbort } from "../lib/on-abort.ts";
import { listedTools, type ServerList } from "./server-list.ts";

/** How long a server has to become ready. */
const readyMs = 30_000;
/** How long lists, resources and prompts may take. */
const answerMs = 60_000;
/** Pages of a list. */
const maxPages = 20;
/** Longer than Node's timers, whose limit this is: times are measured by the injected clock. */
const noTimeout = 2 ** 31 - 1;
/** Changes of a list within this time are looked at together. */
const changeMs = 1_000;

export interface ConnectionOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Why the transport has closed, in more words than the protocol has. */
  readonly closedReason: () => Promise<string | undefined>;
  /** The server says that what it offers has changed. */
  readonly onChanged: () => void;
  readonly onClosed: (reason: string) => void;
}

/** A call went on for too long. */
export class CallTimeout extends Error {
  override readonly name = "CallTimeout";
}

/** One connection with a server, which is ready for calls. */
export class McpConnection implements AsyncDisposable {
  readonly #client: Client;
  readonly #options: ConnectionOptions;
  #isClosed = false;
  #cancelChange: (() => void) | undefined;

  private constructor(client: Client, options: ConnectionOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Throws where the server is not ready in time, or speaks another protocol. */
  static async open(options: ConnectionOptions, signal: AbortSignal): Promise<McpConnection> {
    const { Client } = await import("@modelcontextprotocol/client");
    const client = new Client(
      { name: "troupe", version: "1" },
      {
        capabilities: {},
        versionNegotiation: { mode: "legacy" },
        listMaxPages: maxPages,
      },
    );
    const connection = new McpConnection(client, options);
    connection.#listen();
    try {
      await connection.#within(readyMs, signal, (given) =>
        client.connect(options.transport, given),
      );
      return connection;
    } catch (error) {
      await connection[Symbol.asyncDispose]();
      // What the server has written says more than that it is gone.
      const why = isClosed(error) ? await options.closedReason() : undefined;
      throw new Error(why ?? explained(error), { cause: error });
    }
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  get client(): Client {
    return this.#client;
  }

  #listen(): void {
    const { clock, onChanged, onClosed, closedReason } = this.#options;
    const changed = () => {
      this.#cancelChange ??= clock.schedule(changeMs, () => {
        this.#cancelChange = undefined;
        if (this.isOpen) onChanged();
      });
    };
    this.#client.setNotificationHandler("notifications/tools/list_changed", changed);
    this.#client.setNotificationHandler("notifications/resources/list_changed", changed);
    this.#client.setNotificationHandler("notifications/prompts/list_changed", changed);
    this.#client.onclose = () => {
      this.#isClosed = true;
      this.#cancelChange?.();
      closedReason().then(
        (reason) => onClosed(reason ?? "the connection was closed"),
        (error: unknown) => onClosed(reasonOf(error)),
      );
    };
    // Noise: a call that it concerns fails by itself.
    this.#client.onerror = () => undefined;
  }

  /** What the server offers. */
  async list(signal: AbortSignal): Promise<ServerList> {
    const { tools, resources, prompts } = this.#client.getServerCapabilities() ?? {};
    const { tools: described } = tools
      ? await this.ask(signal, (options) => this.#client.listTools(undefined, options))
      : { tools: [] };
    return {
      tools: listedTools(described),
      hasResources: resources !== undefined,
      hasPrompts: prompts !== undefined,
    };
  }

  /** Asks for something that is answered soon. */
  ask<T>(signal: AbortSignal, request: (options: RequestOptions) => Promise<T>): Promise<T> {
    return this.#within(answerMs, signal, request);
  }

  /** Calls a tool. It may take `idleMs` without progress, and `totalMs` in all. */
  async call(
    call: { name: string; arguments: Record<string, unknown> },
    limits: { idleMs: number; totalMs: number },
    { signal, onProgress }: { signal: AbortSignal; onProgress(text: string): void },
  ) {
    const { clock } = this.#options;
    const idle = new AbortController();
    const { idleMs, totalMs } = limits;
    const late = () =>
      idle.abort(new CallTimeout(`nothing was heard of it for ${idleMs / 1000} s`));
    let cancel = clock.schedule(idleMs, late);
    try {
      const both = AbortSignal.any([signal, idle.signal]);
      return await this.#within(totalMs, both, (options) =>
        this.#client.callTool(call, {
          ...options,
          // Without an output schema: a hostile one may take forever to check, and helps no model.
          toolDefinition: { name: call.name, inputSchema: { type: "object" } },
          onprogress: ({ progress, total, message }) => {
            cancel();
            cancel = clock.schedule(idleMs, late);
            const part = total === undefined ? `${progress}` : `${progress} of ${total}`;
            onProgress(message === undefined ? part : `${part}: ${message}`);
          },
        }),
      );
    } finally {
      cancel();
    }
  }

  /** The reason of the abort is thrown, whatever the protocol makes of it. */
  async #within<T>(
    limitMs: number,
    outer: AbortSignal,
    request: (options: RequestOptions) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    const { clock } = this.#options;
    const late = new CallTimeout(`it did not answer within ${limitMs / 1000} s`);
    const cancel = clock.schedule(limitMs, () => controller.abort(late));
    const stop = onAbort(outer, () => controller.abort(outer.reason));
    const { signal } = controller;
    const aborted = new Promise<never>((_, reject) => {
      onAbort(signal, () => reject(signal.reason));
    });
    try {
      return await Promise.race([request({ signal, timeout: noTimeout }), aborted]);
    } finally {
      cancel();
      stop();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#cancelChange?.();
    // Also where connecting has not come so far that the client would close it.
    await Promise.allSettled([this.#client.close(), this.#options.transport.close()]);
  }
}

/** In words that say what to do, where the protocol has only a number. */
function explained(error: unknown): string {
  const status: unknown = Reflect.get(Object(error), "status");
  if (status !== 401 && status !== 403) return reasonOf(error);
  return `it refuses the request (HTTP ${status}). Put a token that it accepts into the headers of its entry`;
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "CONNECTION_CLOSED";
}
