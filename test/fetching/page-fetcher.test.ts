import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { PageFetcher } from "../../src/fetching/page-fetcher.ts";
import { isPublicAddress } from "../../src/lib/public-address.ts";

/** A site on this machine. */
class Site implements AsyncDisposable {
  readonly requests: IncomingMessage[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(
    answer: (request: IncomingMessage, response: ServerResponse, site: Site) => void,
  ): Promise<Site> {
    const site: Site = new Site(
      createServer((request, response) => {
        site.requests.push(request);
        answer(request, response, site);
      }),
    );
    await new Promise<void>((resolve) => site.#server.listen(0, "127.0.0.1", resolve));
    return site;
  }

  get port(): number {
    const address: AddressInfo | string | null = this.#server.address();
    if (typeof address !== "object" || !address) throw new Error("It does not listen");
    return address.port;
  }

  /** `localhost` leads to 127.0.0.1. */
  at(path: string, host = "localhost"): string {
    return `http://${host}:${this.port}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const never = new AbortController().signal;

/** One that may connect to this machine. */
function fetcher(): PageFetcher {
  return new PageFetcher({ env: {}, isReachable: () => true });
}

function say(body: string | Buffer, headers: Record<string, string>, status = 200) {
  return (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);
}

test("a page comes as text, with its title", async () => {
  const html = "<title>Guide</title><h1>Guide</h1><p>Read me.</p>";
  await using site = await Site.open(say(html, { "content-type": "text/html; charset=utf-8" }));

  const page = await fetcher().fetch(site.at("/guide"), never);

  expect(page).toEqual({
    ...{ type: "page", url: site.at("/guide"), status: 200, title: "Guide" },
    ...{ text: "# Guide\n\nRead me.", isCut: false },
  });
});

test.each([
  "text/plain",
  "application/json",
  "application/feed+json; charset=utf-8",
  "text/markdown",
])("what is %s comes as it is", async (type) => {
  await using site = await Site.open(say('{"a": "<b>"}\n', { "content-type": type }));

  expect(await fetcher().fetch(site.at("/"), never)).toMatchObject({ text: '{"a": "<b>"}\n' });
});

test.each(["image/png", "application/octet-stream", "application/pdf", "video/mp4"])(
  "%s is refused before it is read",
  async (type) => {
    await using site = await Site.open((_, response) => {
      response.writeHead(200, { "content-type": type });
      // It has no end.
      response.write("x");
    });

    const page = await fetcher().fetch(site.at("/"), never);

    expect(page).toEqual({ type: "failed", reason: `it is not a text (${type})` });
  },
);

test.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
])("a page that is compressed by %s is read", async (encoding, compress) => {
  const headers = { "content-type": "text/plain", "content-encoding": encoding };
  await using site = await Site.open(say(compress(Buffer.from("small words")), headers));

  expect(await fetcher().fetch(site.at("/"), never)).toMatchObject({ text: "small words" });
});

test("P25 of a page without an end, and of one that is small only while it is compressed, the beginning is read", async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000, "a"));
  await using site = await Site.open(({ url }, response) => {
    if (url === "/bomb") {
      return say(bomb, { "content-type": "text/plain", "content-encoding": "gzip" })(
        site.requests[0] as IncomingMessage,
        response,
      );
    }
    response.writeHead(200, { "content-type": "text/plain" });
    const more = () => {
      while (response.write("b".repeat(65_536)));
      response.once("drain", more);
    };
    more();
  });

  const endless = await fetcher().fetch(site.at("/endless"), never);
  const inflated = await fetcher().fetch(site.at("/bomb"), never);

  for (const page of [endless, inflated]) {
    if (page.type !== "page") throw new Error(JSON.stringify(page));
    expect(page.isCut).toBe(true);
    expect(page.text).toHaveLength(2_000_000);
  }
});

test.each([
  ["text/html; charset=iso-8859-1", "latin1", ""],
  ["text/html", "latin1", '<meta charset="iso-8859-1">'],
  ["text/html; charset=utf-16le", "utf16le", ""],
  ["text/html; charset=nonsense", "utf8", ""],
] as const)(
  "a page of the type %s in %s is read in its own characters",
  async (type, coding, head) => {
    const body = Buffer.from(`${head}<p>Grüße</p>`, coding);
    await using site = await Site.open(say(body, { "content-type": type }));

    expect(await fetcher().fetch(site.at("/"), never)).toMatchObject({ text: "Grüße" });
  },
);

test("redirections within a host are followed, and those to another one are told", async () => {
  await using other = await Site.open(say("secret", { "content-type": "text/plain" }));
  await using site = await Site.open(({ url }, response, { port }) => {
    const moved: Record<string, string> = {
      "/a": "/b",
      "/b": `http://localhost:${port}/c`,
      "/elsewhere": other.at("/page"),
      "/name": `http://user:pass@localhost:${port}/c`,
      "/loop": "/loop",
      "/file": "file:///etc/passwd",
    };
    const location = moved[url ?? ""];
    if (location) response.writeHead(302, { location }).end();
    else
      say("arrived", { "content-type": "text/plain" })(
        new (class {})() as IncomingMessage,
        response,
      );
  });
  const get = (path: string) => fetcher().fetch(site.at(path), never);

  expect(await get("/a")).toMatchObject({ url: site.at("/c"), text: "arrived" });
  expect(await get("/elsewhere")).toEqual({ type: "elsewhere", url: other.at("/page") });
  expect(await get("/name")).toMatchObject({ type: "elsewhere" });
  expect(await get("/file")).toEqual({ type: "elsewhere", url: "file:///etc/passwd" });
  expect(await get("/loop")).toEqual({
    type: "failed",
    reason: "it redirects more than 5 times",
  });
  expect(other.requests).toEqual([]);
});

test("nothing of the private network is reached, by address or by a name that leads there", async () => {
  await using site = await Site.open(say("private", { "content-type": "text/plain" }));
  const guarded = new PageFetcher({ env: {} });

  for (const host of [
    "127.0.0.1",
    "localhost",
    "[::1]",
    "0.0.0.0",
    "[::ffff:127.0.0.1]",
    "2130706433",
  ]) {
    expect(await guarded.fetch(site.at("/", host), never), host).toEqual({
      type: "failed",
      reason: "it is an address of this machine or its network, which is not fetched",
    });
  }
  expect(site.requests).toEqual([]);
  // The control: without the guard, the page is there.
  expect(await fetcher().fetch(site.at("/"), never)).toMatchObject({ text: "private" });
});

test("a name that leads to a public and a private address is refused", async () => {
  await using site = await Site.open(say("private", { "content-type": "text/plain" }));
  const seen: string[] = [];
  const guarded = new PageFetcher({
    env: {},
    isReachable: (address) => {
      seen.push(address);
      return isPublicAddress(address);
    },
  });

  await guarded.fetch(site.at("/"), never);

  expect(seen).toContain("127.0.0.1");
  expect(site.requests).toEqual([]);
});

test("a connection that is open for something else is not used", async () => {
  await using site = await Site.open(say("private", { "content-type": "text/plain" }));
  // Node keeps this connection for further requests to the same host and port.
  await (await fetch(site.at("/"))).text();
  await fetcher().fetch(site.at("/"), never);

  const page = await new PageFetcher({ env: {} }).fetch(site.at("/"), never);

  expect(page.type).toBe("failed");
  expect(site.requests).toHaveLength(2);
});

test("with a proxy, the proxy is asked for the page, and for no private address", async () => {
  await using proxy = await Site.open(say("by proxy", { "content-type": "text/plain" }));
  const behind = new PageFetcher({ env: { http_proxy: proxy.at("") } });

  const page = await behind.fetch("http://docs.example.com/a", never);
  const refused = await behind.fetch("http://169.254.169.254/latest", never);

  expect(page).toMatchObject({ type: "page", text: "by proxy" });
  expect(refused.type).toBe("failed");
  expect(proxy.requests.map(({ url }) => url)).toEqual(["http://docs.example.com/a"]);
});

test("an error page is told as one, with its text", async () => {
  await using site = await Site.open(say("<p>Not here</p>", { "content-type": "text/html" }, 404));

  expect(await fetcher().fetch(site.at("/"), never)).toMatchObject({
    status: 404,
    text: "Not here",
  });
});

test("a page that does not come in time is given up, and one that is not wanted any more, too", async () => {
  await using site = await Site.open((_, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).write("begun");
  });
  const impatient = new PageFetcher({ env: {}, isReachable: () => true, timeoutMs: 50 });
  const stop = new AbortController();

  expect(await impatient.fetch(site.at("/"), never)).toEqual({
    type: "failed",
    reason: "it did not come within 0.05 s",
  });
  const fetching = fetcher().fetch(site.at("/"), stop.signal);
  stop.abort();
  expect(await fetching).toEqual({ type: "failed", reason: "it was stopped" });
});

test("a host that nobody knows, and a server that is gone, are told", async () => {
  const gone = await Site.open(say("", {}));
  const address = gone.at("/");
  await gone[Symbol.asyncDispose]();

  expect(await fetcher().fetch("http://nobody.invalid/", never)).toMatchObject({ type: "failed" });
  expect(await fetcher().fetch(address, never)).toMatchObject({
    type: "failed",
    reason: expect.stringContaining("ECONNREFUSED"),
  });
});

test("no secret of the environment goes with a request", async () => {
  await using site = await Site.open(say("x", { "content-type": "text/plain" }));

  await fetcher().fetch(site.at("/"), never);

  expect(site.requests[0]?.headers).toEqual({
    host: `localhost:${site.port}`,
    accept: expect.any(String),
    "accept-encoding": "gzip, deflate, br",
    "user-agent": "troupe (web_fetch)",
    connection: "close",
  });
});
