import { expect, test } from "vitest";
import { LockedError } from "../../web/src/source/api.ts";
import { connect } from "../../web/src/source/connection.ts";
import { SourceError } from "../../web/src/source/source.ts";

/** A server that answers when it is told to, and a time that passes when it is told to. */
class FakeServer {
  readonly asked: string[] = [];
  readonly told: string[] = [];
  readonly end: () => void;
  /** How often the time of silence has begun: at the request, and whenever something came. */
  timersSet = 0;
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

  open(type = "text/event-stream"): void {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
    });
    this.#answer?.resolve(new Response(body, { headers: { "content-type": type } }));
  }

  refuse(error: unknown): void {
    this.#answer?.reject(error);
  }

  say(text: string): void {
    this.#body?.enqueue(new TextEncoder().encode(text));
  }

  close(): void {
    this.#body?.close();
  }

  tear(error: unknown): void {
    this.#body?.error(error);
  }

  passTime(): void {
    for (const timer of [...this.#timers]) timer.work();
  }

  /** Resolves once these, and no others, were told. */
  async tells(...expected: string[]): Promise<void> {
    await expect.poll(() => this.told).toEqual(expected);
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
    this.timersSet++;
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };
}

/** A whole connection that begins now: whatever was on its way before has come by its end. */
async function laterConnection(): Promise<void> {
  const server = new FakeServer();
  server.open();
  server.say(state);
  server.close();
  await server.tells("open", 'state {"a":1} e.1', "lost");
}

const state = 'id: e.1\nevent: state\ndata: {"a":1}\n\n';

test("events are reported in order, and those with another name are ignored", async () => {
  const server = new FakeServer();
  server.open();
  server.say(`${state}event: other\ndata: x\n\nevent: change\nda`);
  server.say("ta: {}\n\n");

  await server.tells("open", 'state {"a":1} e.1', "change {} e.1");
  expect(server.asked).toEqual(["/api/stream"]);
});

test("an end and a broken connection are a loss, reported once", async () => {
  const ended = new FakeServer();
  ended.open();
  ended.say(state);
  ended.close();
  const torn = new FakeServer();
  torn.open();
  await torn.tells("open");
  torn.tear(new TypeError("network error"));
  await laterConnection();

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
  server.refuse(error);

  await server.tells(how);
  expect(server.waits).toEqual([]);
});

test("any other answer is not a stream", async () => {
  const server = new FakeServer();
  server.open("text/html");

  await server.tells("lost");
  expect(server.isLeft).toBe(true);
});

test("a server that is silent for long counts as lost, and its connection is closed", async () => {
  const server = new FakeServer();
  server.open();
  server.say(": still here\n\n");
  await expect.poll(() => server.timersSet).toBe(2);
  expect(server.waits).toEqual([40_000]);

  server.passTime();
  server.say(state);
  await laterConnection();

  expect(server.told).toEqual(["open", "lost"]);
  expect(server.isLeft).toBe(true);
});

test("a server that does not answer at all is lost, too", async () => {
  const server = new FakeServer();

  server.passTime();
  server.open();
  await laterConnection();

  expect(server.told).toEqual(["lost"]);
  expect(server.isLeft).toBe(true);
});

test("nothing is reported after a connection was closed", async () => {
  const early = new FakeServer();
  early.end();
  early.open();
  const late = new FakeServer();
  late.open();
  await late.tells("open");
  late.end();
  late.say(state);
  late.tear(new DOMException("aborted", "AbortError"));
  await laterConnection();

  expect([early.told, late.told]).toEqual([[], ["open"]]);
  expect([early.isLeft, late.isLeft]).toEqual([true, true]);
  expect([...early.waits, ...late.waits]).toEqual([]);
});
