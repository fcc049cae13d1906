import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { LoopbackServer, mostConnections } from "../../src/lib/loopback-server.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { accessBy, door, headersOf, pageBelow, proofOf, send, sessionOf } from "./door.ts";

test("if the port is in use, the next free one is used", async () => {
  await using first = await LoopbackServer.listen(0);
  await using second = await LoopbackServer.listen(first.port);

  expect(second.port).toBeGreaterThan(first.port);
  expect(second.address).toMatchObject({ address: "127.0.0.1" });
});

test("if the last port is in use, any other is used", async () => {
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
  const access = accessBy();
  server.answerWith(door({ page: await pageBelow(directory.path), port, access }));
  const socket = connect(port, "127.0.0.1");
  const ended = once(socket, "close");
  const proof = proofOf(sessionOf(access), { path: "/api/stream" });
  socket.write(`GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
  socket.write(`X-Troupe-Proof: ${proof}\r\n\r\n`);
  await untilReceived(socket, "reached");

  await server[Symbol.asyncDispose]();

  await ended;
  await expect(send({ port, method: "GET", path: "/", headers: {} })).rejects.toThrow(
    /ECONNREFUSED/,
  );
});

test("a client that opens too many connections loses its own: the person gets in, and stays in", async () => {
  await using directory = await temporaryDirectory();
  await using server = await LoopbackServer.listen(0);
  const { port } = server;
  const access = accessBy();
  const onLetIn = (bindings: unknown) => server.keep(bindings);
  const page = await pageBelow(directory.path);
  server.answerWith(door({ page, port, access, onLetIn }));
  const session = sessionOf(access);
  const stream = connect(port, "127.0.0.1");
  stream.write(`GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
  stream.write(`X-Troupe-Proof: ${proofOf(session, { path: "/api/stream" })}\r\n\r\n`);
  await untilReceived(stream, "reached");
  const flood = new Flood(port);
  await flood.open(3 * mostConnections);

  const headers = { host: `127.0.0.1:${port}` };
  const answers = [];
  for (let round = 0; round < 5; round++) {
    const [file, look] = await Promise.all([
      send({ port, method: "GET", path: "/", headers }),
      send({
        port,
        method: "GET",
        path: "/api/look",
        headers: { ...headers, ...headersOf(session, { path: "/api/look" }) },
      }),
      flood.open(mostConnections),
    ]);
    answers.push(file.status, look.status);
  }

  expect(answers).toEqual(Array(10).fill(200));
  expect(stream.closed).toBe(false);
  expect(flood.openCount).toBeLessThanOrEqual(mostConnections);
  flood.end();
  stream.destroy();
});

test("control: a server that only counts its connections keeps the person out", async () => {
  const server = createServer((_request, response) => response.end("A page."));
  server.maxConnections = mostConnections;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const flood = new Flood(port);
  await flood.open(3 * mostConnections);

  await expect(send({ port, method: "GET", path: "/", headers: {} })).rejects.toThrow(
    /ECONNRESET|hang up/,
  );

  flood.end();
  server.close();
  await once(server, "close");
});

test("an invalid request ends only its own connection", async () => {
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

/** Connections that say nothing. */
class Flood {
  readonly #port: number;
  readonly #sockets: Socket[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  get openCount(): number {
    return this.#sockets.filter(({ closed }) => !closed).length;
  }

  /** Resolves when each of them was accepted, and when the server has ended what it does not keep. */
  async open(count: number): Promise<void> {
    const opened = Array.from({ length: count }, () => connect(this.#port, "127.0.0.1"));
    this.#sockets.push(...opened);
    await Promise.all(
      opened.map((socket) => {
        socket.on("error", () => undefined);
        socket.resume();
        return Promise.race([once(socket, "connect"), once(socket, "close")]);
      }),
    );
    await this.#untilFew();
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #untilFew(): Promise<void> {
    return new Promise((resolve) => {
      const look = () => this.openCount <= mostConnections && resolve();
      for (const socket of this.#sockets) socket.once("close", look);
      look();
    });
  }
}
