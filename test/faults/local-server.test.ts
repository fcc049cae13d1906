import { Hono } from "hono";
import { expect, test } from "vitest";
import { LoopbackServer } from "../../src/server/serve.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import {
  accessAt,
  door,
  headersOf,
  own,
  pageBelow,
  port,
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

/** What it shows of a session. */
type Shown = { [Part in keyof Session]: string | undefined };

const local = `localhost:${port}`;
const access = accessAt(port);
const session = sessionOf(access);
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
const { cookie, proof } = session;
const elsewhere = sessionOf(accessAt(port + 1));
const cookies = [
  `a=b; ${cookie}; c=d`,
  undefined,
  ...[`troupe-${port}=`, `${cookie.slice(0, -1)}0f`, cookie.replace(`${port}`, `${port + 1}`)],
  // Signed for another port's dashboard of the same team.
  elsewhere.cookie.replace(`${port + 1}`, `${port}`),
];
const proofs = [
  ...[undefined, "", `${proof}0`, proof.slice(0, -1), proof.toUpperCase()],
  // Of another session, of another port's dashboard, and what else the cookie itself has.
  ...[sessionOf(access).proof, elsewhere.proof, cookie.slice(-proof.length)],
];
/** Each wrong part beside a right one: whoever has one of the two alone. */
const shows: Shown[] = [
  session,
  ...cookies.map((wrong) => ({ cookie: wrong, proof })),
  ...proofs.map((wrong) => ({ cookie, proof: wrong })),
];

interface Door {
  hosts: readonly string[];
  session: Session;
}

/** All that may have an answer other than a refusal. */
function isOurs(attempt: Attempt, door: Door): boolean {
  const { host, origin, site, method, path, shown } = attempt;
  const isOurOrigin = origin === `http://${host}`;
  if (!door.hosts.includes(host) || (origin !== undefined && !isOurOrigin)) return false;
  if (path === "/" || path === "/dashboard.js") return method === "GET" || method === "HEAD";
  const isOurSite = site === undefined || site === "same-origin";
  if (!isOurSite || !isShown(door.session, shown)) return false;
  return path === "/api/act" ? method === "POST" && isOurOrigin : method === "GET";
}

function isShown(session: Session, { cookie = "", proof }: Shown): boolean {
  return cookie.split("; ").includes(session.cookie) && proof === session.proof;
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

function headersOfAttempt({ host, origin, site, method, shown }: Attempt): Record<string, string> {
  return {
    host,
    ...(origin !== undefined && { origin }),
    ...(site !== undefined && { "sec-fetch-site": site }),
    ...(shown.cookie !== undefined && { cookie: shown.cookie }),
    ...(shown.proof !== undefined && { "x-troupe-proof": shown.proof }),
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

test("of all hosts, origins, sites, methods, cookies and proofs, only our own page's have an answer", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ page: await pageBelow(directory.path) });
  const choices = { host: hosts, origin: origins, site: sites, method: methods, path: paths };
  const others = { ...choices, host: [own], origin: [undefined, `http://${own}`] };
  const wrong: Attempt[] = [];
  let answered = 0;

  // Whoever shows the right session or none, in every way, and who shows a wrong one as our page would.
  for (const attempt of [
    ...attempts({ ...choices, shown: [session, { cookie: undefined, proof: undefined }] }),
    ...attempts({ ...others, shown: shows.slice(1) }),
  ]) {
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
  cookie: (attempt) => ({ ...attempt, shown: { ...attempt.shown, cookie } }),
  proof: (attempt) => ({ ...attempt, shown: { ...attempt.shown, proof } }),
};

test.each(Object.entries(blindnesses))(
  "control: a door that does not look at the %s answers strangers",
  async (_name, blind) => {
    await using directory = await temporaryDirectory();
    const app = door({ page: await pageBelow(directory.path) });
    const plain = { host: own, origin: `http://${own}`, site: "same-origin", shown: session };
    const strangers = ["/api/look", "/api/act"].flatMap((path) =>
      [
        { host: `rebound.example:${port}` },
        { origin: "https://evil.example" },
        { site: "same-site" },
        { method: "DELETE" },
        { shown: { cookie: undefined, proof } },
        { shown: { cookie, proof: undefined } },
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
  const mySession = sessionOf(access);
  const wrong: unknown[] = [];
  let answered = 0;

  for (const attempt of attempts({
    host: [...mine, `rebound.example:${server.port}`, "127.0.0.1"],
    origin: [undefined, `http://${mine[0]}`, "https://evil.example", "null"],
    site: [undefined],
    method: [...methods, "TRACE", "PROPFIND"],
    path: ["/", "/api/look", "/api/act"],
    shown: [
      mySession,
      { ...mySession, cookie: undefined },
      { ...mySession, proof: undefined },
      { ...mySession, proof: sessionOf(access).proof },
    ],
  })) {
    const { status } = await send({
      port: server.port,
      ...attempt,
      headers: headersOfAttempt(attempt),
    });
    const isOk = status >= 200 && status < 300;
    if (isOk) answered++;
    if (isOk !== isOurs(attempt, { hosts: mine, session: mySession })) wrong.push(attempt);
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
  const mySession = sessionOf(access);
  const ask = (path: string, host: string) =>
    send({
      port: server.port,
      method: "GET",
      path,
      headers: { host, ...headersOf(mySession) },
    });

  const answers = await Promise.all([
    ask(`http://${mine}/api/look`, mine),
    ask("http://rebound.example/api/look", mine),
    ask(`http://${mine}/api/look`, "rebound.example"),
  ]);
  const twice = `GET /api/look HTTP/1.1\r\nHost: ${mine}\r\nHost: rebound.example\r\n`;
  const shown = `Cookie: ${mySession.cookie}\r\nX-Troupe-Proof: ${mySession.proof}\r\n\r\n`;
  const [line] = (await sendRaw(server.port, `${twice}${shown}`)).split("\r");

  expect(answers.map(({ status }) => status)).toEqual([200, 421, 421]);
  expect(line).toMatch(/^HTTP\/1.1 4\d\d /);
});

test("a server on another port, which the browser sends our cookie, opens nothing by it", async () => {
  await using directory = await temporaryDirectory();
  await using server = await LoopbackServer.listen(0);
  await using foreign = await LoopbackServer.listen(0);
  const access = accessAt(server.port);
  server.answerWith(door({ page: await pageBelow(directory.path), port: server.port, access }));
  const stolen: string[] = [];
  const thief = new Hono().get("*", (c) => {
    stolen.push(c.req.header("cookie") ?? "");
    return c.text("A page.");
  });
  foreign.answerWith(thief);
  const host = `127.0.0.1:${server.port}`;
  const forged = { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };
  const given = sessionOf(access);
  // As a browser does that opens its page: the host is the same, and the port counts for nothing.
  await fetch(`http://127.0.0.1:${foreign.port}/`, { headers: { cookie: given.cookie } });
  const [cookie = ""] = stolen;
  const attempt = (headers: Record<string, string>) =>
    Promise.all([
      send({ port: server.port, method: "GET", path: "/api/look", headers }),
      send({
        port: server.port,
        method: "POST",
        path: "/api/act",
        headers: { ...headers, "content-type": "application/json", "content-length": "2" },
      }),
    ]);

  const alone = await attempt({ ...forged, cookie });
  const control = await attempt({ ...forged, ...headersOf({ ...given, cookie }) });

  expect(cookie).not.toBe("");
  expect(alone.map(({ status }) => status)).toEqual([401, 401]);
  expect(control.map(({ status }) => status)).toEqual([200, 200]);
});

test("it listens on loopback alone", async () => {
  await using server = await LoopbackServer.listen(0);

  expect(server.address).toMatchObject({ address: "127.0.0.1", family: "IPv4" });
});
