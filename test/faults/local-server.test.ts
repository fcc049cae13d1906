import type { Hono } from "hono";
import { expect, test } from "vitest";
import { LoopbackServer } from "../../src/server/serve.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { accessAt, cookieOf, door, own, pageBelow, port, send, sendRaw } from "../server/door.ts";

/** A request as anything on the machine, or any page in a browser, can make it. */
interface Attempt {
  host: string;
  origin: string | undefined;
  site: string | undefined;
  method: string;
  path: string;
  cookie: string | undefined;
}

const local = `localhost:${port}`;
const session = cookieOf(accessAt(port));
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
const cookies = [
  session,
  `a=b; ${session}; c=d`,
  undefined,
  ...[`troupe-${port}=`, `${session.slice(0, -1)}0f`, session.replace(`${port}`, `${port + 1}`)],
  // Signed for another port's dashboard of the same team.
  cookieOf(accessAt(port + 1)).replace(`${port + 1}`, `${port}`),
];

interface Door {
  hosts: readonly string[];
  session: string;
}

/** All that may have an answer other than a refusal. */
function isOurs(attempt: Attempt, door: Door): boolean {
  const { host, origin, site, method, path, cookie } = attempt;
  const isOurOrigin = origin === `http://${host}`;
  if (!door.hosts.includes(host) || (origin !== undefined && !isOurOrigin)) return false;
  if (path === "/" || path === "/dashboard.js") return method === "GET" || method === "HEAD";
  const isOurSite = site === undefined || site === "same-origin";
  if (!isOurSite || cookie === undefined || !cookie.includes(door.session)) return false;
  return path === "/api/act" ? method === "POST" && isOurOrigin : method === "GET";
}

type Choices = { [Part in keyof Attempt]: readonly Attempt[Part][] };

function* attempts(choices: Choices): Generator<Attempt> {
  for (const host of choices.host)
    for (const origin of choices.origin)
      for (const site of choices.site)
        for (const method of choices.method)
          for (const path of choices.path)
            for (const cookie of choices.cookie) yield { host, origin, site, method, path, cookie };
}

function headersOf({ host, origin, site, method, cookie }: Attempt): Record<string, string> {
  return {
    host,
    ...(origin !== undefined && { origin }),
    ...(site !== undefined && { "sec-fetch-site": site }),
    ...(cookie !== undefined && { cookie }),
    ...(method === "POST" && { "content-type": "application/json", "content-length": "2" }),
  };
}

async function isAnswered(app: Hono, attempt: Attempt): Promise<boolean> {
  const { host, method, path } = attempt;
  const answer = await app.request(`http://${host}${path}`, {
    method,
    headers: headersOf(attempt),
    ...(method === "POST" && { body: "{}" }),
  });
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  return answer.ok;
}

test("of all hosts, origins, sites, methods and sessions, only our own page's have an answer", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ page: await pageBelow(directory.path) });
  const choices = { host: hosts, origin: origins, site: sites, method: methods };
  const wrong: Attempt[] = [];
  let answered = 0;

  for (const attempt of attempts({ ...choices, path: paths, cookie: cookies })) {
    const isOk = await isAnswered(app, attempt);
    if (isOk) answered++;
    if (isOk !== isOurs(attempt, { hosts: [own, local], session })) wrong.push(attempt);
  }

  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThan(0);
}, 120_000);

/** Each makes the door see what it expects in one place, as if it did not look there. */
const blindnesses: Record<string, (attempt: Attempt) => Attempt> = {
  Host: (attempt) => ({ ...attempt, host: attempt.host === local ? local : own }),
  Origin: (attempt) => ({ ...attempt, origin: `http://${attempt.host}` }),
  "Sec-Fetch-Site": (attempt) => ({ ...attempt, site: "same-origin" }),
  method: (attempt) => ({ ...attempt, method: attempt.path === "/api/act" ? "POST" : "GET" }),
  session: (attempt) => ({ ...attempt, cookie: session }),
};

test.each(Object.entries(blindnesses))(
  "control: a door that does not look at the %s answers strangers",
  async (_name, blind) => {
    await using directory = await temporaryDirectory();
    const app = door({ page: await pageBelow(directory.path) });
    const plain = { host: own, origin: `http://${own}`, site: "same-origin", cookie: session };
    const strangers = ["/api/look", "/api/act"].flatMap((path) =>
      [
        { host: `rebound.example:${port}` },
        { origin: "https://evil.example" },
        { site: "same-site" },
        { method: "DELETE" },
        { cookie: undefined },
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

test("the same holds on a socket, with headers that no browser would send", async () => {
  await using directory = await temporaryDirectory();
  await using server = await LoopbackServer.listen(0);
  const page = await pageBelow(directory.path);
  const access = accessAt(server.port);
  server.answerWith(door({ page, port: server.port, access }));
  const mine = [`127.0.0.1:${server.port}`, `localhost:${server.port}`];
  const cookie = cookieOf(access);
  const wrong: unknown[] = [];
  let answered = 0;

  for (const attempt of attempts({
    host: [...mine, `rebound.example:${server.port}`, "127.0.0.1"],
    origin: [undefined, `http://${mine[0]}`, "https://evil.example", "null"],
    site: [undefined],
    method: [...methods, "TRACE", "PROPFIND"],
    path: ["/", "/api/look", "/api/act"],
    cookie: [cookie, undefined],
  })) {
    const { status } = await send({ port: server.port, ...attempt, headers: headersOf(attempt) });
    const isOk = status >= 200 && status < 300;
    if (isOk) answered++;
    if (isOk !== isOurs(attempt, { hosts: mine, session: cookie })) wrong.push(attempt);
  }

  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThan(0);
});

test("a request that names another host in its first line is refused, and so is one that names two", async () => {
  await using directory = await temporaryDirectory();
  await using server = await LoopbackServer.listen(0);
  const access = accessAt(server.port);
  const page = await pageBelow(directory.path);
  server.answerWith(door({ page, port: server.port, access }));
  const mine = `127.0.0.1:${server.port}`;
  const ask = (path: string, host: string) =>
    send({
      port: server.port,
      method: "GET",
      path,
      headers: { host, cookie: cookieOf(access) },
    });

  const answers = await Promise.all([
    ask(`http://${mine}/api/look`, mine),
    ask("http://rebound.example/api/look", mine),
    ask(`http://${mine}/api/look`, "rebound.example"),
  ]);
  const twice = `GET /api/look HTTP/1.1\r\nHost: ${mine}\r\nHost: rebound.example\r\n`;
  const [line] = (await sendRaw(server.port, `${twice}Cookie: ${cookieOf(access)}\r\n\r\n`)).split(
    "\r",
  );

  expect(answers.map(({ status }) => status)).toEqual([200, 421, 421]);
  expect(line).toMatch(/^HTTP\/1.1 4\d\d /);
});

test("it listens on loopback alone", async () => {
  await using server = await LoopbackServer.listen(0);

  expect(server.address).toMatchObject({ address: "127.0.0.1", family: "IPv4" });
});
