import { mkdir, symlink } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** The packages that the repository has, where a person would install them. */
export async function realPackages() {
  const directory = await temporaryDirectory();
  const packages = join(directory.path, "troupe/providers");
  await mkdir(packages, { recursive: true });
  await symlink(resolve("node_modules"), join(packages, "node_modules"));
  return {
    env: { XDG_DATA_HOME: directory.path },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

interface WireAnswer {
  status?: number;
  type: string;
  body: string | Buffer;
  /** Whether the connection breaks after the body. */
  isCut?: boolean;
}

/** A server that gives every request the same answer. */
export async function wireServer(answer: () => WireAnswer) {
  const seen: { url: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    seen.push({ url: request.url ?? "", headers: request.headers, body: await text(request) });
    const { status = 200, type, body, isCut = false } = answer();
    response.writeHead(status, { "content-type": type });
    if (isCut) response.write(body, () => response.destroy());
    else response.end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return {
    seen,
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** One message of Amazon's event streams. */
export function frame(type: string, data: object): Buffer {
  const named = {
    ":event-type": type,
    ":content-type": "application/json",
    ":message-type": "event",
  };
  const headers = Buffer.concat(
    Object.entries(named).map(([name, value]) => {
      const head = Buffer.from([name.length, ...Buffer.from(name), 7, 0, value.length]);
      return Buffer.concat([head, Buffer.from(value)]);
    }),
  );
  const payload = Buffer.from(JSON.stringify(data));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + headers.length + payload.length + 4, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, payload]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}
