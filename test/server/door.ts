import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import { Secrets } from "../../src/lib/secrets.ts";
import { Access } from "../../src/server/access.ts";
import { dashboardApp } from "../../src/server/app.ts";
import { StaticFiles } from "../../src/server/static-files.ts";

export const port = 4747;
export const own = `127.0.0.1:${port}`;

/** Something behind the door that tells whether it was reached. */
export function reachable(said = "reached"): Hono {
  const api = new Hono();
  api.get("/look", (c) => c.json({ said }));
  api.post("/act", async (c) => c.json({ said, body: await c.req.json() }));
  api.get("/fail", () => {
    throw new Error("It broke at /somewhere/private");
  });
  api.get("/stream", (c) =>
    streamSSE(c, async (stream) => {
      await stream.writeSSE({ event: "state", data: JSON.stringify({ said }) });
      await new Promise<void>((ended) => stream.onAbort(ended));
    }),
  );
  return api;
}

/** The page as it is built, below `root`. */
export async function pageBelow(root: string): Promise<string> {
  const directory = join(root, "page");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "index.html"), "<!doctype html><title>Troupe</title>");
  await writeFile(join(directory, "dashboard.js"), "export {};");
  await writeFile(join(directory, "dashboard.css"), "body {}");
  return directory;
}

interface DoorOptions {
  page: string;
  port?: number;
  access?: Access;
  api?: Hono;
  secrets?: Secrets;
  onFailure?: (error: unknown) => void;
}

/** The dashboard's app in front of something reachable. */
export function door(options: DoorOptions): Hono {
  const { page, port: at = port, access, api, secrets, onFailure } = options;
  return dashboardApp({
    api: api ?? reachable(),
    access: access ?? accessAt(at),
    files: new StaticFiles(page),
    secrets: secrets ?? new Secrets([]),
    port: at,
    onFailure: onFailure ?? unexpected,
  });
}

function unexpected(error: unknown): void {
  throw error;
}

export function accessAt(at: number, now = () => new Date("2026-01-01T00:00:00.000Z")): Access {
  return new Access({ secret: Buffer.alloc(32, 7), port: at, since: "2026-01-01", now });
}

/** What a browser and its page show of a session. */
export interface Session {
  cookie: string;
  proof: string;
}

export function sessionOf(access: Access): Session {
  const { cookie, proof } = access.newSession();
  return { cookie: sentBack(cookie), proof };
}

/** The session that an answer gives. */
export async function sessionIn(answer: Response): Promise<Session> {
  const { proof } = z.strictObject({ proof: z.string() }).parse(await answer.json());
  return { cookie: sentBack(answer.headers.get("set-cookie") ?? ""), proof };
}

/** What a browser sends back of a `Set-Cookie`. */
function sentBack(cookie: string): string {
  return cookie.split(";")[0] ?? "";
}

export function headersOf({ cookie, proof }: Session): {
  cookie: string;
  "x-troupe-proof": string;
} {
  return { cookie, "x-troupe-proof": proof };
}

export interface Forged {
  port: number;
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends exactly these headers, as no browser would. */
export function send({ port: to, method, path, headers }: Forged): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port: to, method, path, headers, agent: false };
    const sent = request(options, (answer) => {
      text(answer).then(
        (body) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
        reject,
      );
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? "{}" : undefined);
  });
}

/** Sends these bytes, and returns what begins the answer. */
export async function sendRaw(to: number, bytes: string): Promise<string> {
  const socket = connect(to, "127.0.0.1");
  try {
    socket.write(bytes);
    const [chunk] = await once(socket, "data");
    return String(chunk);
  } finally {
    socket.destroy();
  }
}
