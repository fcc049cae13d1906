import { expect, test } from "vitest";
import { type ConnectionEvents, delayMs, LiveStream } from "../../web/src/source/live-stream.ts";
import type { Connection } from "../../web/src/source/source.ts";

/** A browser in which nothing happens by itself. */
class FakeWorld {
  readonly urls: string[] = [];
  readonly tokens: string[] = [];
  readonly closed: number[] = [];
  readonly delays: number[] = [];
  admission: "admitted" | "refused" | "unreachable" = "admitted";
  #ends: ConnectionEvents[] = [];
  #retry: (() => void) | null = null;

  /** What the newest connection is told. */
  get stream(): ConnectionEvents {
    const ends = this.#ends.at(-1);
    if (!ends) throw new Error("No connection was opened");
    return ends;
  }

  streamOf(index: number): ConnectionEvents | undefined {
    return this.#ends[index];
  }

  /** Resolves once so many connections were opened. */
  async opened(count: number): Promise<void> {
    await expect.poll(() => this.urls).toHaveLength(count);
  }

  get isWaiting(): boolean {
    return this.#retry !== null;
  }

  passTime(): void {
    const retry = this.#retry;
    this.#retry = null;
    retry?.();
  }

  open = (url: string, ends: ConnectionEvents): (() => void) => {
    const index = this.urls.push(url) - 1;
    this.#ends.push(ends);
    return () => this.closed.push(index);
  };
  admit = async (token: string) => {
    this.tokens.push(token);
    return this.admission;
  };
  later = (ms: number, work: () => void) => {
    this.delays.push(ms);
    this.#retry = work;
    return () => {
      this.#retry = null;
    };
  };
  now = () => new Date("2026-01-01T09:00:00Z");
}

function listening(token: string | null = null) {
  const world = new FakeWorld();
  const connections: Connection[] = [];
  const events: string[] = [];
  const stream = new LiveStream(
    world,
    {
      onConnection: (connection) => connections.push(connection),
      onEvent: (name, data) => events.push(`${name} ${data}`),
    },
    token,
  );
  return { world, connections, events, stream };
}

test("events are reported, and a new connection continues after the last one", () => {
  const { world, connections, events, stream } = listening();
  stream.start();
  world.stream.onOpen();
  world.stream.onEvent("state", "{}", "e.1");
  world.stream.onEvent("change", "{}", "e.2");

  world.stream.onEnd("lost");
  world.passTime();
  world.stream.onOpen();

  expect(events).toEqual(["state {}", "change {}"]);
  expect(world.urls).toEqual(["/api/stream", "/api/stream?after=e.2"]);
  expect(connections.map(({ type }) => type)).toEqual(["connected", "lost", "connected"]);
});

test("attempts become rarer, and start again after a success", () => {
  const { world, stream } = listening();
  stream.start();
  for (let attempt = 0; attempt < 6; attempt++) {
    world.stream.onEnd("lost");
    world.passTime();
  }
  world.stream.onOpen();
  world.stream.onEnd("lost");

  expect(world.delays).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000, 500]);
  expect(delayMs(10_000)).toBe(5_000);
});

test("a loss is reported with the time at which it began", () => {
  const { world, connections, stream } = listening();
  stream.start();
  world.stream.onEnd("lost");

  expect(connections).toEqual([{ type: "lost", since: "2026-01-01T09:00:00.000Z" }]);
});

test("a returning person does not wait for the next attempt", () => {
  const { world, stream } = listening();
  stream.start();
  world.stream.onEnd("lost");

  stream.hurry();

  expect(world.urls).toHaveLength(2);
  expect(world.isWaiting).toBe(false);
});

test("hurrying does not affect a live connection", () => {
  const { world, stream } = listening();
  stream.start();
  world.stream.onOpen();

  stream.hurry();

  expect(world.urls).toHaveLength(1);
});

test("the token is exchanged for a session before any request", async () => {
  const { world, stream } = listening("secret");
  stream.start();
  expect(world.urls).toEqual([]);

  await world.opened(1);

  expect(world.tokens).toEqual(["secret"]);
  expect(world.urls).toEqual(["/api/stream"]);
});

test("a token that did not arrive is sent again", async () => {
  const { world, stream } = listening("secret");
  world.admission = "unreachable";
  stream.start();
  await expect.poll(() => world.isWaiting).toBe(true);
  world.admission = "admitted";
  world.passTime();
  await world.opened(1);

  expect(world.tokens).toEqual(["secret", "secret"]);
  expect(world.urls).toEqual(["/api/stream"]);
});

test("a used token does not lock out an existing session", async () => {
  const { world, connections, stream } = listening("used");
  world.admission = "refused";
  stream.start();
  await world.opened(1);
  world.stream.onOpen();

  expect(connections).toEqual([{ type: "connected" }]);
});

test.each([
  { token: null, reason: "missing" },
  { token: "used", reason: "expired" },
])("without a session the page is locked: $reason", async ({ token, reason }) => {
  const { world, connections, stream } = listening(token);
  world.admission = "refused";
  stream.start();
  await world.opened(1);
  world.stream.onEnd("locked");

  expect(connections).toEqual([{ type: "locked", reason }]);
  expect(world.isWaiting).toBe(false);
});

test("a locked page continues with a new token", async () => {
  const { world, connections, stream } = listening();
  stream.start();
  world.stream.onEnd("locked");

  stream.unlock("fresh");
  await world.opened(2);
  world.stream.onOpen();

  expect(connections.map(({ type }) => type)).toEqual(["locked", "connected"]);
});

test("a locked page tries again when another tab got access, and no other page does", () => {
  const { world, connections, stream } = listening();
  stream.start();
  world.stream.onEnd("locked");

  stream.retry();
  world.stream.onOpen();
  stream.retry();

  expect(connections.map(({ type }) => type)).toEqual(["locked", "connected"]);
  expect(world.urls).toHaveLength(2);
});

test("a session that ends while the page is open is reported as ended", () => {
  const { world, connections, stream } = listening();
  stream.start();
  world.stream.onOpen();
  world.stream.onEvent("state", "{}", "e.1");

  stream.lock();
  world.stream.onEnd("lost");

  expect(connections.slice(1)).toEqual([{ type: "locked", reason: "ended" }]);
});

test("watching another member continues the stream, and is not a loss", () => {
  const { world, connections, events, stream } = listening();
  stream.start();
  world.stream.onOpen();
  world.stream.onEvent("state", "{}", "e.7");

  stream.watch("alice");
  world.stream.onOpen();
  // What the connection before still tells would be told twice.
  world.streamOf(0)?.onEvent("change", "late", "e.8");
  world.streamOf(0)?.onEnd("lost");

  expect(world.urls.at(-1)).toBe("/api/stream?watch=alice&after=e.7");
  expect(world.closed).toEqual([0]);
  expect(events).toEqual(["state {}"]);
  expect(connections.map(({ type }) => type)).toEqual(["connected", "connected"]);
});

test("an event without an id keeps the position for resuming", () => {
  const { world, stream } = listening();
  stream.start();
  world.stream.onEvent("state", "{}", "e.7");
  world.stream.onEvent("live", "{}", "");
  world.stream.onEnd("lost");
  world.passTime();

  expect(world.urls.at(-1)).toBe("/api/stream?after=e.7");
});

test("a stopped stream stays stopped", () => {
  const { world, connections, stream } = listening();
  stream.start();
  stream.stop();
  world.stream.onEnd("lost");

  expect(connections).toEqual([]);
  expect(world.isWaiting).toBe(false);
});
