import { Hono } from "hono";
import { expect, test } from "vitest";
import { LoopbackServer } from "../../src/lib/loopback-server.ts";
import type { Access } from "../../src/server/access.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import {
  accessBy,
  door,
  type Forged,
  headersOf,
  noSession,
  own,
  pageBelow,
  port,
  proofOf,
  type Session,
  send,
  sendRaw,
  sessionOf,
} from "../server/door.ts";

/** A request as anything on the machine, or any page in a browser, can make it. */
interface Attempt {
  host: string;
  origin: string | undefined;
  site: string | undefined;
  method: string;
  path: string;
  shown: Shown;
}

interface Asked {
  method: string;
  path: string;
  body: string;
}

/** What it shows as its proof. */
type Shown = (asked: Asked) => string | undefined;

const local = `localhost:${port}`;
const access = accessBy();
const session = sessionOf(access);
const isPersons: Shown = (asked) => proofOf(session, asked);
const nothing: Shown = () => undefined;
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const paths = ["/", "/dashboard.js", "/api/look", "/api/act"];

const hosts = [
  own,
  local,
  ...["127.0.0.1", "localhost", `127.0.0.1:${port + 1}`, `[::1]:${port}`, `0.0.0.0:${port}`],
  ...[
    `rebound.example:${port}`,
    `127.0.0.1.example:${port}`,
    `localhost.example:${port}`,
    `127.1:${port}`,
  ],
];
const origins = [
  undefined,
  ...[`http://${own}`, `http://${local}`, `https://${own}`, "http://127.0.0.1", "null"],
  ...[`http://127.0.0.1:${port + 1}`, "https://evil.example", `http://${own}.example`, ""],
];
const sites = [undefined, "same-origin", "none", "same-site", "cross-site"];
/** Whoever has a part of what is needed, or something else in its place. */
function wrongOnes(access: Access, { id, key }: Session): Shown[] {
  const by =
    (signer: Session): Shown =>
    (asked) =>
      proofOf(signer, asked);
  const once = proofOf({ id, key }, { method: "GET", path: "/api/other", body: "" });
  return [
    by(noSession),
    by({ id, key: noSession.key }),
    by({ id: noSession.id, key }),
    by({ id, key: sessionOf(access).key }),
    // Of another start of the server.
    by(sessionOf(accessBy(8))),
    // Signed, but for something else.
    () => once,
    (asked) => proofOf({ id, key }, { ...asked, method: "PUT" }),
    (asked) => proofOf({ id, key }, { ...asked, path: `${asked.path}?x=1` }),
    (asked) => proofOf({ id, key }, { ...asked, body: "[]" }),
    (asked) => `${proofOf({ id, key }, asked)}0`,
    (asked) => proofOf({ id, key }, asked).toUpperCase(),
    () => "",
    () => id,
    () => key,
  ];
}

interface Door {
  host: string;
  isPersons: Shown;
}

/** All that may have an answer other than a refusal. */
function isOurs(attempt: Attempt, door: Door): boolean {
  const { host, origin, site, method, path, shown } = attempt;
  const isOurOrigin = origin === `http://${host}`;
  if (host !== door.host || (origin !== undefined && !isOurOrigin)) return false;
  if (path === "/" || path === "/dashboard.js") return method === "GET" || method === "HEAD";
  const isOurSite = site === undefined || site === "same-origin";
  if (!isOurSite || shown !== door.isPersons) return false;
  return path === "/api/act" ? method === "POST" && isOurOrigin : method === "GET";
}

type Choices = { [Part in keyof Attempt]: readonly Attempt[Part][] };

function* attempts(choices: Choices): Generator<Attempt> {
  for (const host of choices.host)
    for (const origin of choices.origin)
      for (const site of choices.site)
        for (const method of choices.method)
          for (const path of choices.path)
            for (const shown of choices.shown) yield { host, origin, site, method, path, shown };
}

function headersOfAttempt(attempt: Attempt): Record<string, string> {
  const { host, origin, site, method, path, shown } = attempt;
  const proof = shown({ method, path, body: method === "POST" ? "{}" : "" });
  return {
    host,
    ...(origin !== undefined && { origin }),
    ...(site !== undefined && { "sec-fetch-site": site }),
    ...(proof !== undefined && { "x-troupe-proof": proof }),
    ...(method === "POST" && { "content-type": "application/json", "content-length": "2" }),
  };
}

async function isAnswered(app: Hono, attempt: Attempt): Promise<boolean> {
  const { host, method, path } = attempt;
  const answer = await app.request(`http://${host}${path}`, {
    method,
    headers: headersOfAttempt(attempt),
    ...(method === "POST" && { body: "{}" }),
  });
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  return answer.ok;
}

test("of all hosts, origins, sites, methods and proofs, only those of our own page get an answer", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ page: await pageBelow(directory.path), access });
  const choices = { host: hosts, origin: origins, site: sites, method: methods, path: paths };
  const others = { ...choices, host: [own], origin: [undefined, `http://${own}`] };
  const wrong: Attempt[] = [];
  let answered = 0;

  // Whoever shows the right session or none, in every way, and who shows a wrong one as our page would.
  for (const attempt of [
    ...attempts({ ...choices, shown: [isPersons, nothing] }),
    ...attempts({ ...others, shown: wrongOnes(access, session) }),
  ]) {
    const isOk = await isAnswered(app, attempt);
    if (isOk) answered++;
    if (isOk !== isOurs(attempt, { host: own, isPersons })) wrong.push(attempt);
  }

  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThan(0);
});

/** Each makes the door see what it expects in one place, as if it did not look there. */
const blindnesses: Record<string, (attempt: Attempt) => Attempt> = {
  Host: (attempt) => ({ ...attempt, host: own }),
  Origin: (attempt) => ({ ...attempt, origin: `http://${attempt.host}` }),
  "Sec-Fetch-Site": (attempt) => ({ ...attempt, site: "same-origin" }),
  method: (attempt) => ({ ...attempt, method: attempt.path === "/api/act" ? "POST" : "GET" }),
  proof: (attempt) => ({ ...attempt, shown: isPersons }),
};

test.each(Object.entries(blindnesses))(
  "control: a guard that does not check the %s answers strangers",
  async (_name, blind) => {
    await using directory = await temporaryDirectory();
    const app = door({ page: await pageBelow(directory.path), access });
    const plain = { host: own, origin: `http://${own}`, site: "same-origin", shown: isPersons };
    const strangers = ["/api/look", "/api/act"].flatMap((path) =>
      [
        { host: `rebound.example:${port}` },
        { origin: "https://evil.example" },
        { site: "same-site" },
        { method: "DELETE" },
        { shown: nothing },
      ].map((odd): Attempt => {
        const method = path === "/api/act" ? "POST" : "GET";
        return { ...plain, method, path, ...odd };
      }),
    );

    const seeing = await Promise.all(strangers.map((stranger) => isAnswered(app, stranger)));
    const blinded = await Promise.all(strangers.map((each) => isAnswered(app, blind(each))));

    expect(seeing).not.toContain(true);
    expect(blinded).toContain(true);
  },
);

test("the same applies on a socket, with headers that no browser would send", async () => {
  await using directory = await temporaryDirectory();
  await using server = await LoopbackServer.listen(0);
  const page = await pageBelow(directory.path);
  const access = accessBy();
  server.answerWith(door({ page, port: server.port, access }));
  const mine = `127.0.0.1:${server.port}`;
  const mySession = sessionOf(access);
  const isMine: Shown = (asked) => proofOf(mySession, asked);
  const wrong: unknown[] = [];
  let answered = 0;

  for (const attempt of attempts({
    host: [mine, `localhost:${server.port}`, `rebound.example:${server.port}`, "127.0.0.1"],
    origin: [undefined, `http://${mine}`, "https://evil.example", "null"],
    site: [undefined],
    method: [...methods, "TRACE", "PROPFIND"],
    path: ["/", "/api/look", "/api/act"],
    shown: [isMine, nothing, ...wrongOnes(access, mySession).slice(0, 4)],
  })) {
    const { status } = await send({
      port: server.port,
      ...attempt,
      headers: headersOfAttempt(attempt),
    });
    const isOk = status >= 200 && status < 300;
    if (isOk) answered++;
    if (isOk !== isOurs(attempt, { host: mine, isPersons: isMine })) wrong.push(attempt);
  }

  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThan(0);
});

test("a request that names another host in its first line, or two hosts, is refused", async () => {
  await using directory = await temporaryDirectory();
  await using server = await LoopbackServer.listen(0);
  const access = accessBy();
  const page = await pageBelow(directory.path);
  server.answerWith(door({ page, port: server.port, access }));
  const mine = `127.0.0.1:${server.port}`;
  const mySession = sessionOf(access);
  const ask = (path: string, host: string) =>
    send({
      port: server.port,
      method: "GET",
      path,
      headers: { host, ...headersOf(mySession, { path: "/api/look" }) },
    });

  const answers = await Promise.all([
    ask(`http://${mine}/api/look`, mine),
    ask("http://rebound.example/api/look", mine),
    ask(`http://${mine}/api/look`, "rebound.example"),
  ]);
  const twice = `GET /api/look HTTP/1.1\r\nHost: ${mine}\r\nHost: rebound.example\r\n`;
  const shown = `X-Troupe-Proof: ${proofOf(mySession, { path: "/api/look" })}\r\n\r\n`;
  const [line] = (await sendRaw(server.port, `${twice}${shown}`)).split("\r");

  expect(answers.map(({ status }) => status)).toEqual([200, 421, 421]);
  expect(line).toMatch(/^HTTP\/1.1 4\d\d /);
});

test("a program that takes the port after the server has ended gets nothing that opens the next one", async () => {
  await using directory = await temporaryDirectory();
  const page = await pageBelow(directory.path);
  const access = accessBy();
  const { port } = await servedFor(0, { page, access }, async ({ port }) => port);
  const session = sessionOf(access);

  const stolen = await takePort(port, () => sendAll(port, session));
  const replay = (access: Access) =>
    servedFor(port, { page, access }, () => Promise.all(stolen.map(send)));
  const next = await replay(accessBy(8));
  const control = await replay(access);

  expect(stolen.map(({ path }) => path)).toEqual(["/api/look", "/api/act"]);
  expect(next.result.map(({ status }) => status)).toEqual([401, 401]);
  // A server that knew the session still, as if sessions outlived the start, would obey.
  expect(control.result.map(({ status }) => status)).toEqual([200, 200]);
});

/** Serves on `wanted` while `work` runs. */
async function servedFor<T>(
  wanted: number,
  { page, access }: { page: string; access: Access },
  work: (server: LoopbackServer) => Promise<T>,
): Promise<{ port: number; result: T }> {
  await using server = await LoopbackServer.listen(wanted);
  const { port } = server;
  if (wanted !== 0) expect(port).toBe(wanted);
  server.answerWith(door({ page, port, access }));
  return { port, result: await work(server) };
}

/** Listens on `port` in place of the server, while `work` runs: what was sent there. */
async function takePort(port: number, work: () => Promise<unknown>): Promise<Forged[]> {
  await using impostor = await LoopbackServer.listen(port);
  expect(impostor.port).toBe(port);
  const stolen: Forged[] = [];
  impostor.answerWith(
    new Hono().all("*", (c) => {
      const { method, path } = c.req;
      stolen.push({ port, method, path, headers: c.req.header() });
      return c.json({});
    }),
  );
  await work();
  return stolen;
}

/** As a page that was left open: a look, then an act. */
async function sendAll(port: number, session: Session): Promise<void> {
  const host = `127.0.0.1:${port}`;
  const [look, act] = [
    { method: "GET", path: "/api/look", body: "" },
    { method: "POST", path: "/api/act", body: "{}" },
  ] as const;
  const json = { "content-type": "application/json", "content-length": "2" };
  await send({ port, ...look, headers: { host, ...headersOf(session, look) } });
  const headers = { host, origin: `http://${host}`, ...json, ...headersOf(session, act) };
  await send({ port, ...act, headers });
}

test("it listens only on loopback", async () => {
  await using server = await LoopbackServer.listen(0);

  expect(server.address).toMatchObject({ address: "127.0.0.1", family: "IPv4" });
});
