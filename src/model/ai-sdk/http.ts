import type { IncomingMessage } from "node:http";
import { onAbort } from "../../lib/on-abort.ts";
import type { EnvironmentVariables } from "../provider-settings.ts";
import { proxyRefusal } from "./proxy-failure.ts";
import type { HttpRoute } from "./routes.ts";

/** A request of an SDK. */
interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Called when the system has taken all of it. */
  readonly onSent?: () => void;
}

/** The part of the web's `Response` that the SDKs and Troupe read. */
export interface HttpAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: { get(name: string): string | null | undefined } & Iterable<[string, string]>;
  readonly body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}

export type HttpFetch = (url: string, request: HttpRequest) => Promise<HttpAnswer>;

/**
 * Sends a request. It does what Node's `fetch` does for a request with a text, without the part
 * that makes `fetch` slow to load and large: a second HTTP parser in WebAssembly, which alone takes
 * 30 MB once it is optimized. It follows no redirection, so that a key is sent only to the
 * configured address.
 */
export const httpFetch: HttpFetch = async (url, sent) => {
  const { request } = await (url.startsWith("https:") ? import("node:https") : import("node:http"));
  return send({ request, url, options: {} }, sent);
};

/** The variables for which there is more to do than to connect. */
const networkVariables = [
  ...["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
  ...["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"],
];

/**
 * `httpFetch` with the proxies and certificates of the environment. Throws `config-invalid` if one of
 * them cannot be used.
 */
export async function httpFetchFor(env: EnvironmentVariables): Promise<HttpFetch> {
  if (!networkVariables.some((name) => env[name])) return httpFetch;
  const { Routes } = await import("./routes.ts");
  const routes = await Routes.open(env);
  return (url, sent) => send(routes.to(url), sent);
}

async function send(
  { request, url, options, proxy }: HttpRoute,
  { method, headers, body, signal, onSent }: HttpRequest,
): Promise<HttpAnswer> {
  signal.throwIfAborted();
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const all = { ...headers, ...length, ...options.headers };
    const outgoing = request(url, { ...options, method, headers: all });
    const stop = onAbort(signal, () => outgoing.destroy(abortError()));
    outgoing.on("close", stop);
    outgoing.on("error", reject);
    if (onSent) outgoing.on("finish", onSent);
    outgoing.on("response", (response) => {
      stop();
      resolve(response);
    });
    outgoing.end(body);
  });
  if (proxy && incoming.statusCode === 407) {
    incoming.destroy();
    throw proxyRefusal(proxy.place, 407);
  }
  // Once the answer is complete, its connection serves other requests.
  const stop = onAbort(signal, () => incoming.complete || incoming.destroy(abortError()));
  incoming.on("close", stop);
  return new HttpResponse({
    status: incoming.statusCode ?? 0,
    statusText: incoming.statusMessage ?? "",
    headers: headersOf(incoming),
    body: streamOf(incoming),
  });
}

function abortError(): Error {
  return new Error("The request was aborted");
}

/** An answer made of its parts. */
export class HttpResponse implements HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HttpAnswer["headers"];
  readonly body: ReadableStream<Uint8Array> | null;

  constructor({ status, statusText, headers, body }: Omit<HttpAnswer, "ok" | "text">) {
    this.status = status;
    this.statusText = statusText;
    this.headers = headers;
    this.body = body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.body ?? []) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  }
}

function headersOf({ headers }: IncomingMessage): Map<string, string> {
  return new Map(
    Object.entries(headers).map(([name, value = ""]) => [name, [value].flat().join(", ")]),
  );
}

function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  // The reader gets the error; without a reader it is not an error of the program.
  incoming.on("error", () => undefined);
  const chunks = incoming[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void incoming.destroy(),
  });
}
