import { maxContentBytes } from "../protocol/message.ts";

/** Why a request is not answered. */
export interface HttpRefusal {
  status: number;
  message: string;
  headers?: Readonly<Record<string, string>>;
}

/**
 * Why a request is refused before it is known who calls; undefined if it is not. Any page in a browser can send requests to
 * this machine, under any name that leads here.
 */
export function judgeRequest(
  { url, headers }: Request,
  { host, path }: { host: string; path: string },
): HttpRefusal | undefined {
  const target = new URL(url);
  if (target.host !== host || headers.get("host") !== host) return wrongHost;
  const origin = headers.get("origin");
  if (origin !== null && origin !== `http://${host}`) return wrongOrigin;
  if (target.pathname !== path) return notFound;
  return Number(headers.get("content-length") ?? 0) > largestBody ? tooLarge : undefined;
}

/** The longest message, if each of its bytes takes six in JSON, and what is around it. */
export const largestBody = 6 * maxContentBytes + 10_000;

const wrongHost = {
  status: 421,
  message: "The server answers only at the address that was given, under no other name.",
};
const wrongOrigin = { status: 403, message: "Pages of browsers are not served." };
const tooLarge = {
  status: 413,
  message: `A request may have at most ${largestBody} bytes. Put long text into a file, and send its path.`,
};
const notFound = { status: 404, message: "There is nothing here." };

export const unknownCaller: HttpRefusal = {
  status: 401,
  message:
    "The Authorization header has no secret of this server. It has another one at each start.",
  headers: { "WWW-Authenticate": "Bearer" },
};

export const tooManyCalls: HttpRefusal = { status: 429, message: "Too many calls are open." };

/** The headers of every answer. */
export const protectiveHeaders: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
};

export function refused({ status, message, headers }: HttpRefusal): Response {
  const all = { ...protectiveHeaders, ...headers, "Content-Type": "application/json" };
  return new Response(JSON.stringify({ error: message }), { status, headers: all });
}
