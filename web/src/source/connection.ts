import type { StreamEvents } from "../../../src/protocol/dashboard.ts";
import { LockedError } from "./api.ts";
import type { ConnectionEvents } from "./live-stream.ts";
import { SourceError } from "./source.ts";
import { SentEventParser } from "./sse.ts";

interface ConnectionDependencies {
  /** Rejects with a `LockedError` or a `SourceError` if the request fails. */
  ask(url: string, init: { signal: AbortSignal }): Promise<Response>;
  later(ms: number, work: () => void): () => void;
}

/** The server sends something at least every 15 s. */
const longestSilenceMs = 40_000;

/**
 * Connects to the stream at `url`; the returned function ends the connection, and nothing is
 * reported from then on.
 */
export function connect(
  url: string,
  ends: ConnectionEvents,
  world: ConnectionDependencies,
): () => void {
  const connection = new StreamConnection(ends, world);
  void connection.run(url).catch((error) => connection.fail(error));
  return () => connection.end();
}

/** One connection, from its request until its end. */
class StreamConnection {
  readonly #ends: ConnectionEvents;
  readonly #world: ConnectionDependencies;
  readonly #leaving = new AbortController();
  #cancelSilence = () => {};

  constructor(ends: ConnectionEvents, world: ConnectionDependencies) {
    this.#ends = ends;
    this.#world = world;
  }

  async run(url: string): Promise<void> {
    this.#hear();
    const answer = await this.#ask(url);
    if (answer === "locked") {
      this.#finish("locked");
      return;
    }
    if (answer?.body && isStream(answer)) await this.#read(answer.body);
    this.#finish("lost");
  }

  /** An unexpected error is reported as such. */
  fail(error: unknown): never {
    this.#finish("lost");
    throw error;
  }

  end(): void {
    this.#cancelSilence();
    this.#leaving.abort();
  }

  /** Undefined if there is no answer, or an unexpected one. */
  async #ask(url: string): Promise<Response | "locked" | undefined> {
    try {
      return await this.#world.ask(url, { signal: this.#leaving.signal });
    } catch (error) {
      if (error instanceof LockedError) return "locked";
      if (error instanceof SourceError || isLoss(error)) return undefined;
      throw error;
    }
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = new SentEventParser();
    const reader = body.getReader();
    this.#tell(() => this.#ends.onOpen());
    for (;;) {
      const bytes = await nextOf(reader);
      if (!bytes || this.#leaving.signal.aborted) return;
      this.#hear();
      for (const { event, data, id } of parser.push(bytes)) {
        const name = eventNames.find((each) => each === event);
        if (name) this.#tell(() => this.#ends.onEvent(name, data, id));
      }
    }
  }

  /** Called outside the read loop, so that a failing listener does not end the connection. */
  #tell(work: () => void): void {
    queueMicrotask(() => {
      if (!this.#leaving.signal.aborted) work();
    });
  }

  /** Restarts the timeout after data has arrived. */
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

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

/** Undefined at the end. */
async function nextOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array | undefined> {
  try {
    return (await reader.read()).value;
  } catch (error) {
    if (!isLoss(error)) throw error;
    return undefined;
  }
}

/** Browsers report any failure of the network as a `TypeError`. */
function isLoss(error: unknown): boolean {
  if (error instanceof DOMException) return error.name === "AbortError";
  return error instanceof TypeError;
}
