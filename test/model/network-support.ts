import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";

/** The files of a certificate that nobody trusts yet. */
export interface Certificate {
  readonly keyFile: string;
  readonly certificateFile: string;
}

/** A new certificate for `provider.test`, Google's hosts and this machine, in `directory`. */
export async function makeCertificate(directory: string): Promise<Certificate> {
  const keyFile = join(directory, "key.pem");
  const certificateFile = join(directory, "certificate.pem");
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = "subjectAltName=DNS:provider.test,DNS:*.googleapis.com,DNS:localhost,IP:127.0.0.1";
  const subject = ["-days", "2", "-subj", "/CN=A company", "-addext", names];
  const files = ["-keyout", keyFile, "-out", certificateFile];
  await promisify(execFile)("openssl", ["req", ...kind, ...subject, ...files]);
  return { keyFile, certificateFile };
}

/** A server that accepts TLS and passes the bytes on to the server at `url`. */
export async function tlsBefore(
  url: string,
  { keyFile, certificateFile }: Certificate,
): Promise<AsyncDisposable & { port: number; connections: number }> {
  const [key, cert] = await Promise.all([readFile(keyFile), readFile(certificateFile)]);
  const sockets = new Set<Socket>();
  const server = createTlsServer({ key, cert }, (socket) => {
    started.connections++;
    joinSockets(socket, connect(Number(new URL(url).port), "127.0.0.1"), sockets);
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const started = {
    port: portOf(server.address()),
    connections: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
}

interface ProxyOptions {
  /** The status that it refuses with. */
  refuses?: number;
  /** The port to which it connects every client, whatever host was asked for. */
  to?: number;
}

/** A proxy for http and https on this machine. */
export class TestProxy implements AsyncDisposable {
  /** The method, target and credentials of each request. */
  readonly seen: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start({ refuses, to }: ProxyOptions = {}): Promise<TestProxy> {
    const server = createServer();
    const proxy = new TestProxy(server);
    server.on("connect", (asked, socket: Socket) => {
      proxy.#note(asked);
      if (refuses) {
        socket.end(`HTTP/1.1 ${refuses} No\r\n\r\n`);
        return;
      }
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      joinSockets(socket, connect(to ?? 0, "127.0.0.1"), proxy.#sockets);
    });
    server.on("request", (asked, answer) => {
      proxy.#note(asked);
      if (refuses) {
        answer.writeHead(refuses).end();
        return;
      }
      const { method, headers, url = "" } = asked;
      const target = new URL(url);
      const onward = { method, headers, port: to, path: target.pathname, host: "127.0.0.1" };
      asked.pipe(
        request(onward, (response) => {
          answer.writeHead(response.statusCode ?? 500, response.headers);
          response.pipe(answer);
        }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server.address())}`;
  }

  #note({ method, url, headers }: IncomingMessage): void {
    this.seen.push([method, url, headers["proxy-authorization"]].filter((it) => it).join(" "));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function joinSockets(one: Socket, other: Socket, all: Set<Socket>): void {
  for (const socket of [one, other]) {
    all.add(socket);
    socket.on("error", () => [one, other].map((each) => each.destroy()));
  }
  one.pipe(other).pipe(one);
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== "object" || !address) throw new Error("The server is closed");
  return address.port;
}
