import type { MiddlewareHandler } from "hono";
import { maxContentBytes } from "../protocol/message.ts";
import { type ApiRefusal, isApiPath, refusal, refuse } from "./refusal.ts";

/** The parts of a request that show whether it comes from the dashboard's own page. */
export interface RequestFacts {
  method: string;
  path: string;
  /** The host of the requested address: a request may name one in its first line, too. */
  target: string;
  host: string | undefined;
  origin: string | undefined;
  fetchSite: string | undefined;
  contentType: string | undefined;
  contentLength: string | undefined;
}

interface GuardRefusal extends ApiRefusal {
  /** The allowed methods, if the method was wrong. */
  allow?: string;
}

/** The longest message of a mailbox, if each of its bytes takes six in JSON. */
export const largestBody = 6 * maxContentBytes + 1_000;
/** The largest body of a request without access. */
export const largestSessionBody = 1_000;

/**
 * Why a request is refused; undefined if it is not. Any page in a browser can send requests to this
 * machine, under any name that leads here; so each request must prove that it comes from our page.
 */
export function judgeRequest(facts: RequestFacts, port: number): GuardRefusal | undefined {
  const { method, path, host, target, origin } = facts;
  if (host !== target || host !== ownHost(port)) return wrongHost;
  if (origin !== undefined && origin !== `http://${host}`) return foreign("Origin");
  if (!isApiPath(path)) return method === "GET" || method === "HEAD" ? undefined : fileMethod;
  // A page of another port is a stranger, though a browser calls it the same site.
  if (facts.fetchSite !== undefined && facts.fetchSite !== "same-origin")
    return foreign("Sec-Fetch-Site");
  if (method === "GET") return undefined;
  if (method !== "POST") return apiMethod;
  if (origin === undefined) return foreign("Origin");
  return judgeBody(facts);
}

function judgeBody(facts: RequestFacts): GuardRefusal | undefined {
  const { path, contentType, contentLength } = facts;
  if (!/^application\/json(\s*;.*)?$/i.test(contentType ?? "")) return notJson;
  if (contentLength === undefined || !/^\d+$/.test(contentLength)) return noLength;
  const largest = path === "/api/session" ? largestSessionBody : largestBody;
  return Number(contentLength) > largest ? tooLarge(largest) : undefined;
}

/** Not `localhost`: a browser may connect to `::1`, where any program may have the port. */
function ownHost(port: number): string {
  return port === 80 ? "127.0.0.1" : `127.0.0.1:${port}`;
}

const openIt = "Open the address that `troupe web` prints.";

const wrongHost = refusal(
  421,
  "host-wrong",
  "The dashboard answers only at 127.0.0.1, under no other name.",
  openIt,
);

const foreign = (header: string) =>
  refusal(
    403,
    "origin-wrong",
    `The request does not come from the dashboard's own page (${header}).`,
    openIt,
  );

const wrongMethod = (allow: string): GuardRefusal => ({
  ...refusal(405, "method-wrong", `Only ${allow} is allowed here.`),
  allow,
});
const fileMethod = wrongMethod("GET, HEAD");
const apiMethod = wrongMethod("GET, POST");

const notJson = refusal(415, "body-wrong", "The request body must be JSON.");
const noLength = refusal(411, "body-wrong", "The request must state its length.");

const tooLarge = (largest: number) =>
  refusal(
    413,
    "content-too-large",
    `The request body may have at most ${largest} bytes.`,
    "Put long text into a file, and send its path.",
  );

/** Lets only requests of the dashboard's own page through. */
export function guard(port: number): MiddlewareHandler {
  return async (c, next) => {
    const refused = judgeRequest(
      {
        method: c.req.method,
        path: c.req.path,
        target: new URL(c.req.url).host,
        host: c.req.header("host"),
        origin: c.req.header("origin"),
        fetchSite: c.req.header("sec-fetch-site"),
        contentType: c.req.header("content-type"),
        contentLength: c.req.header("content-length"),
      },
      port,
    );
    if (!refused) return next();
    if (refused.allow) c.header("Allow", refused.allow);
    return refuse(c, refused);
  };
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The headers of every answer: the browser must trust only the page's own files. */
export const protectiveHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": policy,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Frame-Options": "DENY",
};

/** Sets them on every answer, refusals too. No answer about a team is cached. */
export function protect(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(protectiveHeaders)) c.header(name, value);
    if (isApiPath(c.req.path) || c.res.status >= 400) c.header("Cache-Control", "no-store");
  };
}
