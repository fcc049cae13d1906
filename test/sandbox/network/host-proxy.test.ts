import { once } from "node:events";
import { createServer as createHttpServer, request } from "node:http";
import { connect, createServer, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { isAllowedHost } from "../../../src/lib/allowed-hosts.ts";
import { isPublicAddress } from "../../../src/lib/public-address.ts";
import { HostProxy, type HostProxyOptions } from "../../../src/sandbox/network/host-proxy.ts";

const publicAddress = "93.184.216.34";

/** A proxy whose public addresses all lead to one server, and what was connected. */
async function openProxy(options: Partial<HostProxyOptions> = {}) {
  const site = createHttpServer((incoming, response) =>
    response.end(`${incoming.method} ${incoming.url} for ${incoming.headers.host}`),
  );
  const sitePort = await listening(site);
  const reached: string[] = [];
  const proxy = new HostProxy({
    hosts: ["allowed.example"],
    resolve: async () => [publicAddress],
    connect(address, port) {
      reached.push(`${address}:${port}`);
      return connect(sitePort, "127.0.0.1");
    },
    ...options,
  });
  const door = createServer((socket) => proxy.accept(socket));
  const port = await listening(door);
  return {
    ...{ reached, proxy },
    /** What the proxy answers to the beginning of a request, and what comes then. */
    async send(head: string): Promise<string> {
      const socket = connect(port, "127.0.0.1");
      socket.write(`${head}\r\n\r\n`);
      socket.setTimeout(20_000, () => socket.destroy());
      let answer = "";
      for await (const chunk of socket) {
        answer += chunk;
        if (isWhole(answer)) break;
      }
      return answer;
    },
    /** Asks a page of the server through a tunnel. */
    async tunnel(target: string): Promise<string> {
      const asked = request({ host: "127.0.0.1", port, method: "CONNECT", path: target });
      const answered = once(asked, "connect");
      asked.end();
      const [{ statusCode }, socket, head] = await answered;
      if (statusCode !== 200) return `${statusCode} ${head}${await text(socket)}`;
      socket.write("GET /inside HTTP/1.1\r\nHost: inside\r\nConnection: close\r\n\r\n");
      return `200 ${(await text(socket)).split("\r\n\r\n")[1]}`;
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      door.close();
      site.close();
      site.closeAllConnections();
    },
  };
}

function isWhole(answer: string): boolean {
  const [head = "", body] = answer.split("\r\n\r\n");
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  return body !== undefined && (length === undefined || body.length >= Number(length));
}

async function listening(server: Server): Promise<number> {
  const isListening = once(server, "listening");
  server.listen(0, "127.0.0.1");
  await isListening;
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

test("a host of the list is reached, by a tunnel and by a plain request", async () => {
  await using proxy = await openProxy();

  expect(await proxy.tunnel("allowed.example:443")).toBe("200 GET /inside for inside");
  const answer = await proxy.send(
    "GET http://allowed.example/page?a=b HTTP/1.1\r\nHost: other.example\r\nProxy-Authorization: x",
  );
  expect(answer).toMatch(/^HTTP\/1.1 200 .*GET \/page\?a=b for allowed\.example$/s);
  expect(proxy.reached).toEqual([`${publicAddress}:443`, `${publicAddress}:80`]);
});

test.each([
  "other.example:443",
  "allowed.example:22",
  "allowed.example.evil.example:443",
  `${publicAddress}:443`,
  "localhost:443",
  "127.0.0.1:443",
  "0x7f.1:443",
])("%s, which the list does not have, is refused and named", async (target) => {
  await using proxy = await openProxy();
  const refused = proxy.proxy.watch();

  expect(await proxy.tunnel(target)).toMatch(/^403 .* is refused/);
  expect(refused()).toHaveLength(1);
  expect(await proxy.send(`GET http://${target}/ HTTP/1.1\r\nHost: a`)).toMatch(/^HTTP\/1.1 403 /);

  expect(proxy.reached).toEqual([]);
  expect(proxy.proxy.watch()()).toEqual([]);
});

test.each(["127.0.0.1", "169.254.169.254", "10.0.0.1", "::1", "::ffff:127.0.0.1", "fd00::1"])(
  "a host of the list that resolves to %s is refused",
  async (address) => {
    await using proxy = await openProxy({ resolve: async () => [publicAddress, address] });
    const refused = proxy.proxy.watch();

    expect(await proxy.tunnel("allowed.example:443")).toMatch(/^403 .*this machine or its network/);

    expect(proxy.reached).toEqual([]);
    expect(refused()).toEqual(["allowed.example:443"]);
  },
);

test("a name is resolved once: the address that was checked is the one that is reached", async () => {
  const answers = [[publicAddress], ["127.0.0.1"]];
  await using proxy = await openProxy({ resolve: async () => answers.shift() ?? ["127.0.0.1"] });

  await proxy.tunnel("allowed.example:443");

  expect(proxy.reached).toEqual([`${publicAddress}:443`]);
  expect(answers).toHaveLength(1);
});

test("a host that the list does not have is reached if the person permits it", async () => {
  const asked: string[] = [];
  await using proxy = await openProxy({
    async ask(host) {
      asked.push(host);
      return host.startsWith("fine.");
    },
  });

  expect(await proxy.tunnel("fine.example:443")).toMatch(/^200/);
  expect(await proxy.tunnel("bad.example:443")).toMatch(/^403/);
  expect(asked).toEqual(["fine.example:443", "bad.example:443"]);
});

test("a question about a host ends with the connection that it is about", async () => {
  let ask = (_: AbortSignal) => {};
  const isAsked = new Promise<AbortSignal>((resolve) => {
    ask = resolve;
  });
  await using proxy = await openProxy({
    async ask(_, signal) {
      ask(signal);
      await once(signal, "abort");
      return false;
    },
  });
  const tunnel = proxy.tunnel("other.example:443").catch(() => "ended");
  const signal = await isAsked;

  await proxy.proxy[Symbol.asyncDispose]();

  await tunnel;
  expect(signal.aborted).toBe(true);
});

test("the person is asked once about a host, whatever the answer", async () => {
  const asked: string[] = [];
  await using proxy = await openProxy({
    async ask(host) {
      asked.push(host);
      return host.startsWith("fine.");
    },
  });

  const hosts = ["fine.example:443", "bad.example:443", "fine.example:443", "bad.example:443"];
  const together = await Promise.all(hosts.map((host) => proxy.tunnel(host)));
  const later = await Promise.all(hosts.map((host) => proxy.tunnel(host)));

  for (const answers of [together, later]) {
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(["200", "403", "200", "403"]);
  }
  expect(asked).toEqual(["fine.example:443", "bad.example:443"]);
});

test("a program cannot flood the person with questions about hosts", async () => {
  const asked: string[] = [];
  let answer = (_: boolean) => {};
  const answered = new Promise<boolean>((resolve) => {
    answer = resolve;
  });
  await using proxy = await openProxy({
    ask(host) {
      asked.push(host);
      return answered;
    },
  });
  let refused = 0;
  const tunnels = Array.from({ length: 20 }, async (_, index) => {
    const status = (await proxy.tunnel(`h${index}.example:443`)).slice(0, 3);
    if (status === "403") refused++;
  });

  await expect.poll(() => refused).toBe(15);
  answer(false);
  await Promise.all(tunnels);

  expect(refused).toBe(20);
  expect(asked).toHaveLength(5);
});

test("a name that is longer than any is not asked about", async () => {
  await using proxy = await openProxy({ ask: async () => true });
  const name = `${"a".repeat(300)}.example`;

  expect(await proxy.send(`GET http://${name}/ HTTP/1.1\r\nHost: x`)).toMatch(/ 400 /);
  expect(await proxy.tunnel("short.example:443")).toMatch(/^200/);
});

test("a hundred connections at once are all served", async () => {
  await using proxy = await openProxy();

  const answers = await Promise.all(
    Array.from({ length: 100 }, () => proxy.tunnel("allowed.example:443")),
  );

  expect(new Set(answers)).toEqual(new Set(["200 GET /inside for inside"]));
});

test("a host that cannot be reached, or has no address, is an answer", async () => {
  await using nowhere = await openProxy({ resolve: async () => [] });
  await using closed = await openProxy({ connect: () => connect(1, "127.0.0.1") });

  for (const proxy of [nowhere, closed]) {
    expect(await proxy.tunnel("allowed.example:443")).toMatch(/^502 .*cannot be reached/);
  }
});

test.each(["GET https://allowed.example/ HTTP/1.1\r\nHost: a", "GET / HTTP/1.1\r\nHost: a"])(
  "%j is not forwarded",
  async (head) => {
    await using proxy = await openProxy();

    expect(await proxy.send(head)).toMatch(/^HTTP\/1.1 400 /);
  },
);

test.each<[string, string, boolean]>([
  ["example.com", "example.com:443", true],
  ["example.com", "EXAMPLE.com:80", true],
  ["example.com", "example.com:8080", false],
  ["example.com:8080", "example.com:8080", true],
  ["example.com:8080", "example.com:443", false],
  ["example.com", "sub.example.com:443", false],
  ["*.example.com", "sub.example.com:443", true],
  ["*.example.com", "example.com:443", false],
  ["*.example.com", "badexample.com:443", false],
  ["npm", "registry.npmjs.org:443", true],
  ["github", "api.github.com:443", true],
])("the entry %s: %s is allowed: %s", (entry, target, isAllowed) => {
  const [host = "", port] = target.split(":");

  expect(isAllowedHost([entry], host, Number(port))).toBe(isAllowed);
});

test.each([
  ...["8.8.8.8", "93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"].map((it) => [it, true]),
  ...["0.0.0.0", "100.64.0.1", "192.168.1.1", "172.16.0.1", "224.0.0.1", "255.255.255.255"].map(
    (it) => [it, false],
  ),
  ...["::", "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1", "ff02::1", "2001:db8::1", "no"].map(
    (it) => [it, false],
  ),
] as [string, boolean][])("%s is a public address: %s", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});
