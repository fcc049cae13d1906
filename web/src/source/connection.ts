import type { StreamEvents } from "../../../src/protocol/dashboard.ts";
import { LockedError } from "./api.ts";
import type { StreamEnds } from "./live-stream.ts";
import { SourceError } from "./source.ts";
import { SentEventParser } from "./sse.ts";

interface ConnectionWorld {
  /** Rejects with a `LockedError` or a `SourceError` where the answer is not what was asked for. */
  ask(url: string, init: { signal: AbortSignal }): Promise<Response>;
  later(ms: number, work: () => void): () => void;
}

/** The server says something every 15 s, be it that it is still there. */
const longestSilenceMs = 40_000;

/** Connects to the stream at `url`; the returned function ends that, and nothing is told from then on. */
export function connect(url: string, ends: StreamEnds, world: ConnectionWorld): () => void {
  const connection = new StreamConnection(ends, world);
  void connection.run(url).catch((error) => connection.fail(error));
  return () => connection.end();
}

/** One connection, from when it is asked for until it is over. */
class StreamConnection {
  readonly #ends: StreamEnds;
  readonly #world: ConnectionWorld;
  readonly #leaving = new AbortController();
  #cancelSilence = () => {};

  constructor(ends: StreamEnds, world: ConnectionWorld) {
    this.#ends = ends;
    this.#world = world;
  }

  async run(url: string): Promise<void> {
    this.#hear();
    const { signal } = this.#leaving;
    const { body, headers } = await this.#world.ask(url, { signal });
    if (signal.aborted) return;
    if (!body || !headers.get("content-type")?.startsWith("text/event-stream")) {
      this.#finish("lost");
      return;
    }
    this.#ends.onOpen();
    await this.#read(body);
    this.#finish("lost");
  }

  /** Ends it because of what went wrong. Networks fail with a `TypeError`. */
  fail(error: unknown): void {
    this.#finish(error instanceof LockedError ? "locked" : "lost");
    if (error instanceof LockedError || error instanceof SourceError) return;
    if (error instanceof TypeError || isAbort(error)) return;
    throw error;
  }

  end(): void {
    this.#cancelSilence();
    this.#leaving.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = new SentEventParser();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#leaving.signal.aborted) return;
      this.#hear();
      for (const { event, data, id } of parser.push(value)) {
        const name = eventNames.find((each) => each === event);
        // On its own, so that what fails there is reported as such, and is no failure of the connection.
        if (name) queueMicrotask(() => this.#tell(name, data, id));
      }
    }
  }

  #tell(name: keyof StreamEvents, data: string, id: string): void {
    if (!this.#leaving.signal.aborted) this.#ends.onEvent(name, data, id);
  }

  /** Something came: the silence begins anew. */
  #hear(): void {
    this.#cancelSilence();
    this.#cancelSilence = this.#world.later(longestSilenceMs, () => this.#finish("lost"));
  }

  #finish(how: "lost" | "locked"): void {
    if (this.#leaving.signal.aborted) return;
    this.end();
    this.#ends.onEnd(how);
  }
}

const eventNames: readonly (keyof StreamEvents)[] = ["state", "change", "live"];

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
