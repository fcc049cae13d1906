import { createHmac, randomBytes } from "node:crypto";
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
  const head =
    '<meta charset="utf-8" /><script src="./dashboard.js"></script><link href="./dashboard.css">';
  const html = `<!doctype html><head><title>Troupe</title>${head}</head><body></body>`;
  await writeFile(join(directory, "index.html"), html);
  await writeFile(join(directory, "dashboard.js"), "run()");
  await writeFile(join(directory, "dashboard.css"), "p{}");
  return directory;
}

interface DoorOptions {
  page: string;
  port?: number;
  access?: Access;
  api?: Hono;
  secrets?: Secrets;
  onLetIn?: (bindings: unknown) => void;
  onFailure?: (error: unknown) => void;
}

/** The dashboard's app in front of something reachable. */
export function door(options: DoorOptions): Hono {
  const { page, port: at = port, access, api, secrets, onLetIn, onFailure } = options;
  return dashboardApp({
    api: api ?? reachable(),
    access: access ?? accessBy(),
    files: new StaticFiles(page),
    secrets: secrets ?? new Secrets([]),
    port: at,
    onLetIn: onLetIn ?? (() => undefined),
    onFailure: onFailure ?? unexpected,
  });
}

function unexpected(error: unknown): void {
  throw error;
}

/** Whoever gets the same start has the same secret. */
export function accessBy(start = 7, now = () => new Date("2026-01-01T00:00:00.000Z")): Access {
  return new Access({ secret: Buffer.alloc(32, start), now });
}

/** What a page keeps of a session. */
export interface Session {
  id: string;
  key: string;
}

export const noSession: Session = { id: "0".repeat(32), key: "0".repeat(64) };

/** A session as a page opens one by a new token. */
export function sessionOf(access: Access): Session {
  const token = tokenSession(access.newToken());
  const proof = proofOf(token, { method: "POST", path: "/api/session", body: "{}" });
  const opened = access.admit({ proof, method: "POST", target: "/api/session", body: "{}" });
  if (typeof opened === "string") throw new Error(opened);
  return openedBy(token, proof, opened.session);
}

/** What a token signs with. */
export function tokenSession(token: string): Session {
  const [expires = "", nonce = "", key = ""] = token.split(".");
  return { id: `${expires}.${nonce}`, key };
}

interface Asked {
  method?: string;
  path: string;
  body?: string;
}

/** What a page sends as `X-Troupe-Proof`; another one each time. */
export function proofOf({ id, key }: Session, { method = "GET", path, body = "" }: Asked): string {
  const nonce = randomBytes(16).toString("hex");
  return `${id} ${nonce} ${hmac(key, `request ${method} ${path} ${id} ${nonce}\n${body}`)}`;
}

export function headersOf(session: Session, asked: Asked): { "x-troupe-proof": string } {
  return { "x-troupe-proof": proofOf(session, asked) };
}

/** The session that a server opens for a request with `proof`. */
function openedBy(token: Session, proof: string, id: string): Session {
  return { id, key: hmac(token.key, `session ${id} ${proof.split(" ")[2]}`) };
}

/** What the server that let a page in answers a request with. */
export function answerOf({ key }: Session, proof: string, status: number): string {
  return hmac(key, `answer ${status} ${proof}`);
}

function hmac(key: string, text: string): string {
  return createHmac("sha256", Buffer.from(key, "hex")).update(text).digest("hex");
}

/** As a page that opens an address: the session that it is given, where it is given one. */
export async function enter(
  address: string,
): Promise<{ status: number; session: Session; isProven: boolean }> {
  const { origin, hash } = new URL(address);
  const token = tokenSession(hash.replace("#token=", ""));
  const asked = { method: "POST", path: "/api/session", body: "{}" };
  const proof = proofOf(token, asked);
  const headers = { "content-type": "application/json", origin, "x-troupe-proof": proof };
  const answer = await fetch(`${origin}/api/session`, { method: "POST", headers, body: "{}" });
  const { status } = answer;
  const isProven = answer.headers.get("x-troupe-proof") === answerOf(token, proof, status);
  if (!answer.ok) return { status, session: noSession, isProven };
  const { session } = z.strictObject({ session: z.string() }).parse(await answer.json());
  return { status, session: openedBy(token, proof, session), isProven };
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
