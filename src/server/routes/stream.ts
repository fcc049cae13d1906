import type { Context } from "hono";
import type { Clock } from "../../lib/clock.ts";
import { orLate } from "../../lib/wait.ts";
import type { RoomEvent } from "../room/changes.ts";
import type { Room } from "../room/room.ts";

/** How often something is sent at least, so that a connection that is gone is noticed. */
const heartbeatMs = 15_000;
/** A page that has not taken an event by then is taken for gone. */
const maxWriteMs = 30_000;

const heartbeat = ": still here\n\n";

/** The changes of the room as server-sent events, each written when the one before was taken. */
export function streamChanges(
  c: Context,
  room: Pick<Room, "changes" | "clock">,
  { watch, after }: { watch?: string | undefined; after?: string | undefined },
): Response {
  const leaving = new AbortController();
  const events = room.changes({
    after: c.req.header("last-event-id") ?? after,
    watch,
    signal: leaving.signal,
  });
  const texts = new StreamTexts(events, room.clock);
  const leave = () => {
    leaving.abort();
    texts.end();
  };
  const timeout = new WriteTimeout(room.clock, () => {
    leave();
    // A page that does not read does not notice the end of a stream: only its connection can be ended.
    destroySocket(c.env);
  });
  return new Response(bodyOf({ texts, timeout, leave }), {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" },
  });
}

interface BodyOptions {
  texts: StreamTexts;
  timeout: WriteTimeout;
  leave(): void;
}

function bodyOf({ texts, timeout, leave }: BodyOptions): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        timeout.end();
        const text = await texts.next();
        // Both throw once the page has left, which the stream ignores: no timeout begins then.
        if (text === undefined) {
          controller.close();
          return;
        }
        controller.enqueue(new TextEncoder().encode(text));
        timeout.begin();
      },
      cancel() {
        timeout.end();
        leave();
      },
    },
    // Nothing is made before the connection has room for it.
    { highWaterMark: 0 },
  );
}

/** Waits for the other side no longer than `maxWriteMs`. */
class WriteTimeout {
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  #cancel = () => {};

  constructor(clock: Clock, onEnd: () => void) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  begin(): void {
    this.#cancel = this.#clock.schedule(maxWriteMs, this.#onEnd);
  }

  end(): void {
    this.#cancel();
  }
}

/** The texts to write: events, and a comment where there is no event for long. */
class StreamTexts {
  readonly #events: AsyncGenerator<RoomEvent>;
  readonly #clock: Clock;
  #next: Promise<IteratorResult<RoomEvent, undefined>> | undefined;

  constructor(events: AsyncGenerator<RoomEvent>, clock: Clock) {
    this.#events = events;
    this.#clock = clock;
  }

  /** Undefined when there is nothing left. */
  async next(): Promise<string | undefined> {
    this.#next ??= this.#events.next();
    const limit = { clock: this.#clock, limitMs: heartbeatMs };
    const next = await orLate(this.#next, () => undefined, limit);
    if (next === undefined) return heartbeat;
    this.#next = undefined;
    return next.done ? undefined : toText(next.value);
  }

  /** Leaves the room. */
  end(): void {
    // It has ended by itself or ends with the abort; its error was reported where it happened.
    this.#events.return(undefined).catch(() => undefined);
  }
}

function toText({ id, event, data }: RoomEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Where a real server answers, its bindings have the response that Node writes. */
function destroySocket(env: unknown): void {
  if (typeof env !== "object" || env === null || !("outgoing" in env)) return;
  const { outgoing } = env;
  if (typeof outgoing !== "object" || outgoing === null || !("destroy" in outgoing)) return;
  if (typeof outgoing.destroy === "function") outgoing.destroy();
}
