import { lookup as lookUp } from "node:dns";
import type { IncomingMessage } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { onAbort } from "../lib/on-abort.ts";
import { isPublicAddress } from "../lib/public-address.ts";
import { networkProblem } from "../model/ai-sdk/network-problem.ts";
import { proxyFor } from "../model/ai-sdk/proxy.ts";
import { Routes } from "../model/ai-sdk/routes.ts";
import type { EnvironmentVariables } from "../model/provider-settings.ts";
import type { WebAccess, WebPage } from "../tools/web-fetch.ts";
import { pageText } from "./page-text.ts";
import { readBody } from "./read-body.ts";

export interface PageFetcherOptions {
  /** For proxies and certificates. */
  readonly env: EnvironmentVariables;
  /** Whether an address may be connected to (default: those of the public internet). */
  readonly isReachable?: (address: string) => boolean;
  /** How long a page may take (default: 30 s). */
  readonly timeoutMs?: number;
}

const maxRedirections = 5;
const defaultTimeoutMs = 30_000;

/**
 * Gets pages of the web, as text. It connects to public addresses only, whatever a name leads to, and to no
 * other host than that of the address it was given.
 */
export class PageFetcher implements WebAccess {
  readonly #options: PageFetcherOptions;
  #routes: Promise<Routes> | undefined;

  constructor(options: PageFetcherOptions) {
    this.#options = options;
  }

  async fetch(address: string, signal: AbortSignal): Promise<WebPage> {
    const { timeoutMs = defaultTimeoutMs } = this.#options;
    const late = AbortSignal.timeout(timeoutMs);
    try {
      return await this.#follow(new URL(address), AbortSignal.any([signal, late]));
    } catch (error) {
      if (signal.aborted) return { type: "failed", reason: "it was stopped" };
      if (late.aborted) {
        return { type: "failed", reason: `it did not come within ${timeoutMs / 1000} s` };
      }
      return { type: "failed", reason: networkProblem(error).message };
    }
  }

  async #follow(first: URL, signal: AbortSignal): Promise<WebPage> {
    let url = first;
    for (let count = 0; count <= maxRedirections; count++) {
      const answer = await this.#request(url, signal);
      const next = redirectionOf(answer, url);
      if (!next) return await pageOf(answer, url, signal);
      answer.destroy();
      if (!isSameSite(next, url)) return { type: "elsewhere", url: next.href };
      url = next;
    }
    return { type: "failed", reason: `it redirects more than ${maxRedirections} times` };
  }

  async #request(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const { env } = this.#options;
    this.#routes ??= Routes.open(env);
    const { request, url: target, options } = (await this.#routes).to(url.href);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host)) this.#requireReachable([host]);
    const headers = { ...requestHeaders, ...options.headers };
    // A proxy resolves names itself, and is where its person says.
    const direct = proxyFor(url, env) ? {} : { lookup: this.#lookup, ...ownConnections(url) };
    return await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(target, { ...options, ...direct, headers });
      const stop = onAbort(signal, () => outgoing.destroy(new Error("The request was stopped")));
      outgoing.on("error", reject);
      outgoing.on("close", stop);
      outgoing.on("response", resolve);
      outgoing.end();
    });
  }

  /** Resolves a name for the connection itself, so that it cannot lead elsewhere after the look. */
  readonly #lookup: LookupFunction = (name, options, done) => {
    lookUp(name, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      try {
        this.#requireReachable(addresses.map(({ address }) => address));
      } catch (refusal) {
        return done(refusal instanceof Error ? refusal : new Error(String(refusal)), []);
      }
      const [first] = addresses;
      if (options.all || !first) return done(null, addresses);
      done(null, first.address, first.family);
    });
  };

  #requireReachable(addresses: readonly string[]): void {
    const { isReachable = isPublicAddress } = this.#options;
    if (addresses.every(isReachable)) return;
    throw new Error("it is an address of this machine or its network, which is not fetched");
  }
}

/** None that is open already for others: it may lead to an address that is refused here. */
function ownConnections({ protocol }: URL): { agent?: false } {
  // Those of a route for https are of this fetcher alone.
  return protocol === "http:" ? { agent: false } : {};
}

const requestHeaders = {
  accept: "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "troupe (web_fetch)",
};

function redirectionOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  const { location = "" } = headers;
  const isRedirection = [301, 302, 303, 307, 308].includes(statusCode) && location !== "";
  return isRedirection && URL.canParse(location, from.href)
    ? new URL(location, from.href)
    : undefined;
}

/** True where the answer comes from the host that was asked for, and is not less private. */
function isSameSite(next: URL, from: URL): boolean {
  if (next.username !== "" || next.password !== "") return false;
  const isUpgrade = from.protocol === "http:" && next.protocol === "https:";
  if (isUpgrade) return next.hostname === from.hostname && next.port === "" && from.port === "";
  return next.origin === from.origin;
}

const readable =
  /^(text\/|application\/([\w.+-]*\+)?(json|xml|yaml|x-yaml|javascript|toml|x-ndjson|graphql))/;

async function pageOf(
  answer: IncomingMessage,
  { href: url }: URL,
  signal: AbortSignal,
): Promise<WebPage> {
  const { statusCode: status = 0, headers } = answer;
  const type = (headers["content-type"] ?? "text/plain").toLowerCase();
  if (!readable.test(type)) {
    answer.destroy();
    const size = headers["content-length"] ? `, ${headers["content-length"]} bytes` : "";
    return { type: "failed", reason: `it is not a text (${type.slice(0, 100)}${size})` };
  }
  const { text: body, isCut } = await readBody(answer, headers, signal);
  const isHtml = /^text\/html|^application\/xhtml/.test(type);
  if (!isHtml) return { type: "page", url, status, title: "", text: body, isCut };
  const page = await pageText(body, url);
  return { type: "page", url, status, ...page, isCut: isCut || page.isCut };
}
