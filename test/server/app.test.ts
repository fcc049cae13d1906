import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { expect, test } from "vitest";
import type { Secrets } from "../../src/lib/secrets.ts";
import { secretsInJson } from "../../src/server/masked.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import {
  accessAt,
  door,
  headersOf,
  own,
  pageBelow,
  port,
  reachable,
  sessionIn,
  sessionOf,
} from "./door.ts";

const access = accessAt(port);
const canary = 'sk-canary-"4f8\\Gq2Lw9ZkT';

type Asked = Omit<RequestInit, "headers"> & { headers?: Record<string, string> };

function ask(app: Hono, path: string, { headers, ...init }: Asked = {}) {
  return app.request(`http://${own}${path}`, {
    ...init,
    headers: { host: own, ...headersOf(sessionOf(access)), ...headers },
  });
}

function post(app: Hono, path: string, body: string) {
  const headers = {
    origin: `http://${own}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    cookie: "",
  };
  return ask(app, path, { method: "POST", body, headers });
}

test("without a session only the files of the page are to be had", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ page: await pageBelow(directory.path) });
  const headers = { cookie: "" };

  for (const path of ["/", "/index.html", "/dashboard.js", "/dashboard.css"]) {
    expect((await ask(app, path, { headers })).status).toBe(200);
  }
  for (const path of ["/api/look", "/api/stream", "/api/nothing", "/api", "/api/session"]) {
    const answer = await ask(app, path, { headers });
    expect([path, answer.status]).toEqual([path, 401]);
    expect(await answer.json()).toMatchObject({
      error: { code: "session-missing", hint: "Run `troupe web` again for a new address." },
    });
  }
});

test("a token is exchanged for a cookie and a proof, which let one in together", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ page: await pageBelow(directory.path), access });

  const answer = await post(app, "/api/session", JSON.stringify({ token: access.newToken() }));
  const { cookie, proof } = await sessionIn(answer);
  const look = (headers: Record<string, string>) => ask(app, "/api/look", { headers });
  const seen = await look(headersOf({ cookie, proof }));
  const strangers = await Promise.all([
    look(headersOf({ cookie, proof: "" })),
    look(headersOf({ cookie: "", proof })),
    look(headersOf({ cookie, proof: sessionOf(access).proof })),
  ]);

  expect(answer.status).toBe(200);
  expect(await seen.json()).toEqual({ said: "reached" });
  for (const stranger of strangers) {
    expect(stranger.status).toBe(401);
    expect(await stranger.json()).toMatchObject({ error: { code: "session-missing" } });
  }
});

test("a token that is wrong, was used or has expired is told apart, with what to do", async () => {
  await using directory = await temporaryDirectory();
  let now = new Date("2026-01-01T00:00:00.000Z");
  const timed = accessAt(port, () => now);
  const app = door({ page: await pageBelow(directory.path), access: timed });
  const [used, late] = [timed.newToken(), timed.newToken()];
  const exchange = async (body: unknown) => {
    const answer = await post(app, "/api/session", JSON.stringify(body));
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

  expect(await exchange({ token: used })).toEqual([
    200,
    { proof: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  expect(await exchange({ token: used })).toEqual(refused("token-used"));
  expect(await exchange({ token: "x" })).toEqual(refused("token-wrong"));
  expect(await exchange([used])).toEqual(refused("token-wrong"));
  now = new Date("2026-01-01T01:00:00.000Z");
  expect(await exchange({ token: late })).toEqual(refused("token-expired"));
  expect((await post(app, "/api/session", "{")).status).toBe(401);
});

test("what is not there is said in plain text, and paths lead nowhere", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ page: await pageBelow(directory.path) });

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

test("every answer says that a browser trusts the page's own files alone", async () => {
  await using directory = await temporaryDirectory();
  const app = door({ page: await pageBelow(directory.path), onFailure: () => undefined });
  const hostile = { headers: { host: "evil.example" } };

  const answers = await Promise.all([
    ...["/", "/nothing", "/api/look", "/api/fail", "/api/nothing"].map((path) => ask(app, path)),
    ask(app, "/", hostile),
    ask(app, "/api/look", { method: "OPTIONS" }),
    ask(app, "/api/look", { headers: { cookie: "" } }),
  ]);

  for (const { headers } of answers) {
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
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
  const app = door({ page: await pageBelow(directory.path) });

  const first = await ask(app, "/dashboard.js");
  const etag = first.headers.get("etag") ?? "";
  const second = await ask(app, "/dashboard.js", { headers: { "if-none-match": etag } });

  expect(first.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(first.headers.get("cache-control")).toBe("no-cache");
  expect([second.status, await second.text()]).toEqual([304, ""]);
});

test("a page that was not built is a failure that says how to build it", async () => {
  const failures: unknown[] = [];
  const app = door({ page: "/nowhere/at/all", onFailure: (error) => failures.push(error) });

  expect((await ask(app, "/")).status).toBe(500);
  expect(failures).toEqual([
    expect.objectContaining({
      code: "dashboard-failed",
      hint: expect.stringContaining("npm run build"),
    }),
  ]);
});

test("a failure behind the door is told to the person, and calmly to the page", async () => {
  await using directory = await temporaryDirectory();
  const failures: unknown[] = [];
  const page = await pageBelow(directory.path);
  const app = door({ page, onFailure: (error) => failures.push(error) });

  const answer = await ask(app, "/api/fail");

  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain("private");
  expect(failures).toEqual([new Error("It broke at /somewhere/private")]);
});

test("no answer has a secret in it, however it is cut or escaped", async () => {
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
  const app = door({ page, api, secrets });
  return Promise.all(
    ["/api/look", "/api/pieces"].map(async (path) => (await ask(app, path)).text()),
  );
}

test("a stream that fails ends, and is told", async () => {
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
  const app = door({ page, api, onFailure: (error) => failures.push(error) });

  expect(await (await ask(app, "/api/torn")).text()).toBe("");
  expect(failures).toEqual([new Error("torn")]);
});

test("a page that goes away while nothing is said is no failure", async () => {
  await using directory = await temporaryDirectory();
  const failures: unknown[] = [];
  const api = new Hono();
  let isLeft = false;
  const cancel = () => {
    isLeft = true;
  };
  api.get("/silent", (c) => c.body(new ReadableStream({ cancel })));
  const page = await pageBelow(directory.path);
  const app = door({ page, api, onFailure: (error) => failures.push(error) });
  const reader = (await ask(app, "/api/silent")).body?.getReader();
  const reading = reader?.read();

  await reader?.cancel();
  await reading;
  await settled();

  expect(isLeft).toBe(true);
  expect(failures).toEqual([]);
});

/** Lets everything that is only a promise away happen. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
