import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { expect, test } from "vitest";
import type { Secrets } from "../../src/lib/secrets.ts";
import { secretsInJson } from "../../src/server/masked.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import {
  accessBy,
  answerOf,
  door,
  headersOf,
  noSession,
  own,
  pageBelow,
  proofOf,
  reachable,
  type Session,
  sessionOf,
  tokenSession,
} from "./door.ts";

const access = accessBy();
const person = sessionOf(access);
const canary = 'sk-canary-"4f8\\Gq2Lw9ZkT';

type Asked = Omit<RequestInit, "headers"> & {
  headers?: Record<string, string>;
  session?: Session;
};

function ask(app: Hono, path: string, { headers, session = person, ...init }: Asked = {}) {
  const { method = "GET" } = init;
  const body = typeof init.body === "string" ? init.body : "";
  const shown = headersOf(session, { method, path, body });
  const sent = { host: own, ...shown, ...headers };
  return app.request(`http://${own}${path}`, { ...init, headers: sent });
}

function post(app: Hono, path: string, { body = "{}", ...asked }: Asked & { body?: string } = {}) {
  const headers = {
    origin: `http://${own}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...asked.headers,
  };
  return ask(app, path, { ...asked, method: "POST", body, headers });
}

test("without a session only the files of the page are served", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ page: await pageBelow(directory.path), access });
  const session = noSession;

  for (const path of ["/", "/index.html", "/dashboard.js", "/dashboard.css"]) {
    expect((await ask(app, path, { session })).status).toBe(200);
  }
  for (const path of ["/api/look", "/api/stream", "/api/nothing", "/api", "/api/session"]) {
    const answer = await ask(app, path, { session });
    expect([path, answer.status]).toEqual([path, 401]);
    expect(await answer.json()).toMatchObject({
      error: { code: "session-missing", hint: "Run `troupe web` again for a new address." },
    });
  }
});

test("a token opens a session whose key is never sent, without a cookie", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ page: await pageBelow(directory.path), access });
  const token = tokenSession(access.newToken());

  const answer = await post(app, "/api/session", { session: token });
  const text = await answer.text();

  expect([answer.status, JSON.parse(text)]).toEqual([
    200,
    { session: expect.stringMatching(/^[0-9a-f]{32}$/) },
  ]);
  expect(text).not.toContain(token.key);
  expect(answer.headers.get("set-cookie")).toBeNull();
});

test("an unsigned or repeated request has no effect", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ page: await pageBelow(directory.path), access });
  const sent = headersOf(person, { method: "POST", path: "/api/act", body: '{"a":1}' });

  const look = await ask(app, "/api/look");
  const signedForAnother = await ask(app, "/api/look", {
    headers: headersOf(person, { path: "/api/stream" }),
  });
  const changed = await post(app, "/api/act", { body: '{"a":2}', headers: sent });
  const done = await post(app, "/api/act", { body: '{"a":1}', headers: sent });
  const again = await post(app, "/api/act", { body: '{"a":1}', headers: sent });

  expect(await look.json()).toEqual({ said: "reached" });
  expect([signedForAnother.status, changed.status]).toEqual([401, 401]);
  expect(await done.json()).toEqual({ said: "reached", body: { a: 1 } });
  expect([again.status, await again.json()]).toMatchObject([
    409,
    { error: { code: "request-repeated" } },
  ]);
});

test("every answer to a session proves the server, including refusals and failures", async () => {
  await using directory = await temporaryDirectory();
  const page = await pageBelow(directory.path);
  const app = door({ page, access, onFailure: () => undefined });
  const long = { "content-length": "1000000000" };
  const statuses: number[] = [];

  for (const [path, headers] of [
    ["/api/look", {}],
    ["/api/nothing", {}],
    ["/api/fail", {}],
    ["/api/act", long],
  ] as const) {
    const method = path === "/api/act" ? "POST" : "GET";
    const body = method === "POST" ? "{}" : "";
    const proof = proofOf(person, { method, path, body });
    const shown = { ...headers, "x-troupe-proof": proof };
    const answer = await (method === "POST"
      ? post(app, path, { headers: shown })
      : ask(app, path, { headers: shown }));
    statuses.push(answer.status);
    expect(answer.headers.get("x-troupe-proof")).toBe(answerOf(person, proof, answer.status));
  }
  const stranger = await ask(app, "/api/look", { session: noSession });

  expect(statuses).toEqual([200, 404, 500, 413]);
  expect(stranger.headers.get("x-troupe-proof")).toBeNull();
});

test("an invalid, used or expired token is reported as such, with a hint", async () => {
  await using directory = await temporaryDirectory();
  let now = new Date("2026-01-01T00:00:00.000Z");
  const timed = accessBy(7, () => now);
  const app = door({ page: await pageBelow(directory.path), access: timed });
  const [used, late] = [timed, timed].map((each) => tokenSession(each.newToken()));
  const exchange = async (session: Session | undefined) => {
    const answer = await post(app, "/api/session", { session: session ?? noSession });
    return [answer.status, await answer.json()];
  };
  const refused = (code: string) => [
    401,
    {
      error: {
        code,
        message: expect.any(String),
        hint: "Run `troupe web` again for a new address.",
      },
    },
  ];

  expect(await exchange(used)).toEqual([200, { session: expect.any(String) }]);
  expect(await exchange(used)).toEqual(refused("token-used"));
  expect(await exchange(noSession)).toEqual(refused("token-wrong"));
  expect(await exchange(tokenSession(accessBy(8).newToken()))).toEqual(refused("token-wrong"));
  now = new Date("2026-01-01T01:00:00.000Z");
  expect(await exchange(late)).toEqual(refused("token-expired"));
});

test("a missing path is reported in plain text, and paths lead nowhere", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ access, page: await pageBelow(directory.path) });

  for (const path of [
    "/nothing",
    "/../package.json",
    "/%2e%2e/x",
    "//dashboard.js",
    "/dashboard.js/",
  ]) {
    const answer = await ask(app, path);
    expect([path, answer.status]).toEqual([path, 404]);
    expect(await answer.text()).toBe("There is nothing here.\n");
  }
  expect((await ask(app, "/api/nothing")).status).toBe(404);
});

test("every answer tells the browser to trust only the page's own files", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ access, page: await pageBelow(directory.path), onFailure: () => undefined });
  const hostile = { headers: { host: "evil.example" } };

  const answers = await Promise.all([
    ...["/", "/nothing", "/api/look", "/api/fail", "/api/nothing"].map((path) => ask(app, path)),
    ask(app, "/", hostile),
    ask(app, "/api/look", { method: "OPTIONS" }),
    ask(app, "/api/look", { session: noSession }),
  ]);

  for (const { headers } of answers) {
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  }
  expect(answers[2]?.headers.get("cache-control")).toBe("no-store");
});

test("a file that has not changed is not sent again", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ access, page: await pageBelow(directory.path) });

  const first = await ask(app, "/dashboard.js");
  const etag = first.headers.get("etag") ?? "";
  const second = await ask(app, "/dashboard.js", { headers: { "if-none-match": etag } });

  expect(first.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(first.headers.get("cache-control")).toBe("no-cache");
  expect([second.status, await second.text()]).toEqual([304, ""]);
});

test("a page that is not built is a failure with a hint", async () => {
  const failures: unknown[] = [];
  const app = door({ access, page: "/nowhere/at/all", onFailure: (error) => failures.push(error) });

  expect((await ask(app, "/")).status).toBe(500);
  expect(failures).toEqual([
    expect.objectContaining({
      code: "dashboard-failed",
      hint: expect.stringContaining("npm run build"),
    }),
  ]);
});

test("an internal failure is reported to the person, and briefly to the page", async () => {
  await using directory = await temporaryDirectory();
  const failures: unknown[] = [];
  const page = await pageBelow(directory.path);
  const app = door({ access, page, onFailure: (error) => failures.push(error) });

  const answer = await ask(app, "/api/fail");

  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain("private");
  expect(failures).toEqual([new Error("It broke at /somewhere/private")]);
});

test("no answer contains a secret, however it is cut or escaped", async () => {
  await using directory = await temporaryDirectory();
  const page = await pageBelow(directory.path);

  const answers = await leaks(page, secretsInJson([canary]));
  const control = await leaks(page, secretsInJson([]));

  for (const text of answers) {
    expect(text).toContain("[key]");
    expect(text).not.toContain(JSON.stringify(canary).slice(1, -1));
    expect(text).not.toContain(canary);
  }
  for (const text of control) expect(text).toContain(JSON.stringify(canary).slice(1, -1));
});

async function leaks(page: string, secrets: Secrets): Promise<string[]> {
  const api = reachable(`before ${canary} behind`);
  const json = JSON.stringify({ text: canary });
  api.get("/pieces", (c) =>
    streamSSE(c, async (stream) => {
      await stream.write("event: live\ndata: ");
      for (const letter of json) await stream.write(letter);
      await stream.write("\n\n");
    }),
  );
  const app = door({ access, page, api, secrets });
  return Promise.all(
    ["/api/look", "/api/pieces"].map(async (path) => (await ask(app, path)).text()),
  );
}

test("a stream that fails ends, and is reported", async () => {
  await using directory = await temporaryDirectory();
  const failures: unknown[] = [];
  const api = new Hono();
  api.get("/torn", (c) =>
    c.body(
      new ReadableStream({
        pull: (controller) => controller.error(new Error("torn")),
      }),
    ),
  );
  const page = await pageBelow(directory.path);
  const app = door({ access, page, api, onFailure: (error) => failures.push(error) });

  expect(await (await ask(app, "/api/torn")).text()).toBe("");
  expect(failures).toEqual([new Error("torn")]);
});

test("a page that disconnects while idle is not a failure", async () => {
  await using directory = await temporaryDirectory();
  const failures: unknown[] = [];
  const api = new Hono();
  let isLeft = false;
  const cancel = () => {
    isLeft = true;
  };
  api.get("/silent", (c) => c.body(new ReadableStream({ cancel })));
  api.get("/broken", () => {
    throw new Error("broken");
  });
  const page = await pageBelow(directory.path);
  const app = door({ access, page, api, onFailure: (error) => failures.push(error) });
  const reader = (await ask(app, "/api/silent")).body?.getReader();
  const reading = reader?.read();

  await reader?.cancel();
  await reading;
  // What would be told of it is told before this.
  await (await ask(app, "/api/broken")).text();

  expect(isLeft).toBe(true);
  expect(failures).toEqual([new Error("broken")]);
});
