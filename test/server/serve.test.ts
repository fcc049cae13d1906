import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { LoopbackServer, mostConnections } from "../../src/server/serve.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { accessAt, door, pageBelow, send, sessionOf } from "./door.ts";

test("where the port is in use, the next free one is taken", async () => {
  await using first = await LoopbackServer.listen(0);
  await using second = await LoopbackServer.listen(first.port);

  expect(second.port).toBeGreaterThan(first.port);
  expect(second.address).toMatchObject({ address: "127.0.0.1" });
});

test("where the last port is in use, any other is taken", async () => {
  const last = createServer();
  last.listen(65_535, "127.0.0.1");
  await Promise.race([once(last, "listening"), once(last, "error")]);

  await using server = await LoopbackServer.listen(65_535);

  expect(server.port).not.toBe(65_535);
  last.close();
});

test("closing ends streams at once", async () => {
  await using directory = await temporaryDirectory();
  const server = await LoopbackServer.listen(0);
  const { port } = server;
  const access = accessAt(port);
  server.answerWith(door({ page: await pageBelow(directory.path), port, access }));
  const socket = connect(port, "127.0.0.1");
  const ended = once(socket, "close");
  const { cookie, proof } = sessionOf(access);
  socket.write(`GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
  socket.write(`Cookie: ${cookie}\r\nX-Troupe-Proof: ${proof}\r\n\r\n`);
  await untilReceived(socket, "reached");

  await server[Symbol.asyncDispose]();

  await ended;
  await expect(send({ port, method: "GET", path: "/", headers: {} })).rejects.toThrow(
    /ECONNREFUSED/,
  );
});

test("idle connections beyond the limit are dropped, and whoever is connected is served", async () => {
  await using directory = await temporaryDirectory();
  await using server = await LoopbackServer.listen(0);
  const { port } = server;
  server.answerWith(door({ page: await pageBelow(directory.path), port }));
  const early = connect(port, "127.0.0.1");
  await once(early, "connect");
  const flood = Array.from({ length: 3 * mostConnections }, () => connect(port, "127.0.0.1"));
  const surplus = flood.length - (mostConnections - 1);
  await closedCount(flood, surplus);

  early.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);

  expect(await untilReceived(early, "</title>")).toMatch(/^HTTP\/1.1 200 /);
  expect(flood.filter(({ closed }) => !closed)).toHaveLength(mostConnections - 1);
  for (const socket of flood) socket.destroy();
  early.destroy();
});

test("what is no request at all ends its connection alone", async () => {
  await using directory = await temporaryDirectory();
  await using server = await LoopbackServer.listen(0);
  const { port } = server;
  server.answerWith(door({ page: await pageBelow(directory.path), port }));

  for (const bytes of [
    "\u0000\u0001\r\n\r\n",
    "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /\r\n\r\n",
  ]) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(bytes);
    socket.resume();
    await once(socket, "close");
  }

  const headers = { host: `127.0.0.1:${port}` };
  expect(await send({ port, method: "GET", path: "/", headers })).toMatchObject({ status: 200 });
});

async function untilReceived(socket: Socket, part: string): Promise<string> {
  let received = "";
  for await (const [chunk] of onData(socket)) {
    received += String(chunk);
    if (received.includes(part)) return received;
  }
  throw new Error(`The connection has ended after: ${received}`);
}

async function* onData(socket: Socket): AsyncGenerator<unknown[]> {
  for (;;) yield await once(socket, "data");
}

/** Resolves when so many of the sockets have been closed. */
function closedCount(sockets: readonly Socket[], count: number): Promise<void> {
  let closed = 0;
  return new Promise((resolve) => {
    for (const socket of sockets) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        if (++closed === count) resolve();
      });
      socket.resume();
    }
  });
}
