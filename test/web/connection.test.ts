import { expect, test } from "vitest";
import { LockedError } from "../../web/src/source/api.ts";
import { connect } from "../../web/src/source/connection.ts";
import { SourceError } from "../../web/src/source/source.ts";

/** A server that answers when it is told to, and a time that passes when it is told to. */
class FakeServer {
  readonly asked: string[] = [];
  readonly told: string[] = [];
  readonly end: () => void;
  #answer: { resolve(response: Response): void; reject(error: unknown): void } | undefined;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #signal: AbortSignal | undefined;
  #timers = new Set<{ ms: number; work: () => void }>();

  constructor() {
    const ends = {
      onOpen: () => this.told.push("open"),
      onEvent: (name: string, data: string, id: string) => this.told.push(`${name} ${data} ${id}`),
      onEnd: (how: string) => this.told.push(how),
    };
    this.end = connect("/api/stream", ends, { ask: this.#ask, later: this.#later });
  }

  get isLeft(): boolean {
    return this.#signal?.aborted ?? false;
  }

  get waits(): number[] {
    return [...this.#timers].map(({ ms }) => ms);
  }

  async open(type = "text/event-stream"): Promise<void> {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
    });
    this.#answer?.resolve(new Response(body, { headers: { "content-type": type } }));
    await settled();
  }

  async refuse(error: unknown): Promise<void> {
    this.#answer?.reject(error);
    await settled();
  }

  async say(text: string): Promise<void> {
    this.#body?.enqueue(new TextEncoder().encode(text));
    await settled();
  }

  async close(): Promise<void> {
    this.#body?.close();
    await settled();
  }

  async tear(error: unknown): Promise<void> {
    this.#body?.error(error);
    await settled();
  }

  async passTime(): Promise<void> {
    for (const timer of [...this.#timers]) timer.work();
    await settled();
  }

  readonly #ask = (url: string, { signal }: { signal: AbortSignal }) => {
    this.asked.push(url);
    this.#signal = signal;
    return new Promise<Response>((resolve, reject) => {
      this.#answer = { resolve, reject };
    });
  };

  readonly #later = (ms: number, work: () => void) => {
    const timer = { ms, work };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };
}

/** Lets everything that is only a promise away happen. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const state = 'id: e.1\nevent: state\ndata: {"a":1}\n\n';

test("events are reported in order, and those with another name are ignored", async () => {
  const server = new FakeServer();
  await server.open();
  await server.say(`${state}event: other\ndata: x\n\nevent: change\nda`);
  await server.say("ta: {}\n\n");

  expect(server.asked).toEqual(["/api/stream"]);
  expect(server.told).toEqual(["open", 'state {"a":1} e.1', "change {} e.1"]);
});

test("an end and a broken connection are a loss, reported once", async () => {
  const ended = new FakeServer();
  await ended.open();
  await ended.say(state);
  await ended.close();
  const torn = new FakeServer();
  await torn.open();
  await torn.tear(new TypeError("network error"));

  expect(ended.told).toEqual(["open", 'state {"a":1} e.1', "lost"]);
  expect(torn.told).toEqual(["open", "lost"]);
  expect([...ended.waits, ...torn.waits]).toEqual([]);
});

test.each([
  ["no session", new LockedError(), "locked"],
  ["nobody there", new SourceError({ code: "connection-lost", message: "", hint: null }), "lost"],
  ["an answer that breaks off", new TypeError("network error"), "lost"],
])("%s is reported as such", async (_name, error, how) => {
  const server = new FakeServer();
  await server.refuse(error);

  expect(server.told).toEqual([how]);
  expect(server.waits).toEqual([]);
});

test("any other answer is not a stream", async () => {
  const server = new FakeServer();
  await server.open("text/html");

  expect(server.told).toEqual(["lost"]);
  expect(server.isLeft).toBe(true);
});

test("a server that is silent for long counts as lost, and its connection is closed", async () => {
  const server = new FakeServer();
  await server.open();
  await server.say(": still here\n\n");
  expect(server.waits).toEqual([40_000]);

  await server.passTime();
  await server.say(state);

  expect(server.told).toEqual(["open", "lost"]);
  expect(server.isLeft).toBe(true);
});

test("a server that does not answer at all is lost, too", async () => {
  const server = new FakeServer();

  await server.passTime();
  await server.open();

  expect(server.told).toEqual(["lost"]);
  expect(server.isLeft).toBe(true);
});

test("nothing is reported after a connection was closed", async () => {
  const early = new FakeServer();
  early.end();
  await early.open();
  const late = new FakeServer();
  await late.open();
  late.end();
  await late.say(state);
  await late.tear(new DOMException("aborted", "AbortError"));

  expect([early.told, late.told]).toEqual([[], ["open"]]);
  expect([early.isLeft, late.isLeft]).toEqual([true, true]);
  expect([...early.waits, ...late.waits]).toEqual([]);
});
