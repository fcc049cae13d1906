import { EventEmitter, once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { LoopbackServer } from "../../../src/lib/loopback-server.ts";
import { user } from "../../../src/protocol/ids.ts";
import type { ChangesOptions, RoomEvent } from "../../../src/server/room/changes.ts";
import type { Room } from "../../../src/server/room/room.ts";
import { apiRoutes } from "../../../src/server/routes/api.ts";
import { streamChanges } from "../../../src/server/routes/stream.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { catchUncaughtErrors } from "../../../src/testing/uncaught-errors.ts";
import { openStore } from "../../support/team.ts";
import { accessBy, door, headersOf, sessionOf } from "../door.ts";
import { openRoom } from "../room/page.ts";

function served(room: Room) {
  return servedApp(new Hono().route("/api", apiRoutes(room)));
}

async function servedApp(app: Hono) {
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    connect: (path: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        get({ port, path, host: "127.0.0.1", agent: false }, resolve).on("error", reject);
      }),
    /** A connection that nobody reads from, and the end of it at the server. */
    async connectRaw(path: string): Promise<[Socket, Promise<unknown>]> {
      const accepted = once(server, "connection");
      const socket = connect({ port, host: "127.0.0.1" });
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
      const [peer] = await accepted;
      return [socket, once(peer, "close")];
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
    },
  };
}

/** Reads until `wanted` has come. */
async function readUntil(response: IncomingMessage, wanted: string): Promise<string> {
  let text = "";
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes(wanted)) return text;
  }
  throw new Error(`The stream ended before ${wanted}`);
}

test("a page that reconnects with the last id gets only what it has missed", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await using room = openRoom(directory.path);
  await using server = await served(room);

  const first = await server.connect("/api/stream");
  const state = await readUntil(first, "\n\n");
  const [, id] = /^id: (.+)$/m.exec(state) ?? [];
  first.destroy();
  await store.send("lead", { type: "message", from: user, content: "meanwhile" });
  const second = await server.connect(`/api/stream?after=${id}`);
  const change = await readUntil(second, "meanwhile");
  second.destroy();

  expect(state).toContain("event: state\n");
  expect(change).toContain("event: change\n");
  expect(change).not.toContain("event: state\n");
});

test("an idle connection gets a comment from time to time", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  await using room = openRoom(directory.path, { place: { clock } });
  await using server = await served(room);
  const response = await server.connect("/api/stream");
  await readUntil(response, "\n\n");

  await clock.waiting(3);
  clock.advance(15_000);

  expect(await readUntil(response, "\n\n")).toBe(": still here\n\n");
  response.destroy();
});

test("a page that does not read is dropped, and another one continues", async () => {
  const clock = new ManualClock();
  const told = new Map<string, number>();
  /** More than any buffer holds. */
  async function* changes({ watch = "" }: ChangesOptions): AsyncGenerator<RoomEvent> {
    for (let number = 1; ; number++) {
      told.set(watch, number);
      yield { id: `a.${number}`, event: "change", data: { problems: ["x".repeat(eventBytes)] } };
    }
  }
  const app = new Hono().get("/:name", (c) => {
    const watch = c.req.param("name");
    // Time passes for the one that does not read alone: the other is always in between two writes.
    const room = { changes, clock: watch === "stuck" ? clock : new ManualClock() };
    return streamChanges(c, room, { watch });
  });
  await using server = await servedApp(app);
  const [stuck, dropped] = await server.connectRaw("/stuck");
  const reading = await server.connect("/reading");
  const goesOn = readOn(reading);

  let before = -1;
  while (before !== told.get("stuck")) {
    before = told.get("stuck") ?? 0;
    await goesOn.next();
    await goesOn.next();
  }
  clock.advance(30_000);
  await dropped;

  expect((told.get("stuck") ?? 0) * eventBytes).toBeLessThan(64 * 1024 * 1024);
  expect(told.get("stuck")).toBe(before);
  await goesOn.next();
  stuck.destroy();
  reading.destroy();
});

test("a page that disconnects while idle is removed without a failure", async () => {
  await using directory = await temporaryDirectory();
  await using server = await LoopbackServer.listen(0);
  const { port } = server;
  const gone = new EventEmitter();
  async function* changes({ signal }: ChangesOptions): AsyncGenerator<RoomEvent> {
    yield { id: "a.1", event: "change", data: {} };
    await once(signal, "abort");
    gone.emit("left");
  }
  const room = { changes, clock: new ManualClock() };
  const api = new Hono().get("/stream", (c) => streamChanges(c, room, {}));
  api.get("/broken", () => {
    throw new Error("broken");
  });
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error);
  const access = accessBy();
  server.answerWith(door({ page: directory.path, port, access, api, onFailure }));
  const left = once(gone, "left");
  const session = sessionOf(access);
  const ask = async (path: string): Promise<IncomingMessage> => {
    const headers = { host: `127.0.0.1:${port}`, ...headersOf(session, { path }) };
    const [response] = await once(get({ port, path, headers, agent: false }), "response");
    return response;
  };
  const page = await ask("/api/stream");
  await readUntil(page, "\n\n");

  page.destroy();
  await left;
  // What would be told of it is told before this.
  (await ask("/api/broken")).resume();

  expect(failures).toEqual([new Error("broken")]);
});

test.each([
  ["an event", true],
  ["the end", false],
])("a page that leaves before %s leaves no timer, and that is no error", async (_, hasEvent) => {
  const clock = new ManualClock();
  const ended = new EventEmitter();
  async function* changes({ signal }: ChangesOptions): AsyncGenerator<RoomEvent> {
    try {
      await once(signal, "abort");
      if (hasEvent) yield { id: "a.1", event: "change", data: {} };
    } finally {
      ended.emit("end");
    }
  }
  const app = new Hono().get("/", (c) => streamChanges(c, { changes, clock }, {}));
  using uncaught = catchUncaughtErrors();
  const page = (await app.request("/")).body?.getReader();
  const waiting = page?.read();
  await clock.waitingFor(15_000);
  const end = once(ended, "end");

  await page?.cancel();
  await Promise.all([waiting, end]);

  expect(await uncaught.settled()).toEqual([]);
  expect(clock.pending).toBe(0);
});

const eventBytes = 256 * 1024;

async function* readOn(response: IncomingMessage): AsyncGenerator<void> {
  let length = 0;
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    for (; length > 16 * eventBytes; length -= 16 * eventBytes) yield;
  }
}
