import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Check, runChecks } from "../../src/cli/doctor/check.ts";
import { spaceFinding } from "../../src/cli/doctor/machine.ts";
import { nodeFinding } from "../../src/cli/doctor/programs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { troupeIn } from "./troupe.ts";

interface Seen {
  url: string | undefined;
  headers: IncomingHttpHeaders;
}

/** A real server that answers every request with this status. */
async function answering(status: number, body = "{}") {
  const seen: Seen[] = [];
  const server = createServer(({ url, headers }, response) => {
    seen.push({ url, headers });
    response.writeHead(status, { location: "/elsewhere" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    seen,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Report {
  ok: boolean;
  checks: { name: string; state: string; text: string; remedy?: string }[];
}

async function examine(root: string, env: Record<string, string> = {}, ...flags: string[]) {
  const result = await troupeIn({ root, env }, "doctor", "--json", ...flags);
  const report: Report = JSON.parse(result.out.join("\n"));
  const about = (name: string) => report.checks.filter((check) => check.name === name);
  return { ...result, report, about };
}

test("a place that is set up has no problems: exit 0", async () => {
  await using directory = await temporaryDirectory();
  await using server = await answering(200);
  const env = {
    TROUPE_MODEL: "anthropic/claude",
    ANTHROPIC_API_KEY: "sk-ant-0123456789",
    ANTHROPIC_BASE_URL: server.url,
  };

  const { code, report, about } = await examine(directory.path, env);

  expect(report.checks.filter(({ state }) => state === "problem")).toEqual([]);
  expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true });
  expect(about("node")).toMatchObject([{ state: "ok", text: process.versions.node }]);
  expect(about("ripgrep")[0]?.text).toContain("ripgrep");
  expect(about("model")).toMatchObject([{ text: "anthropic/claude, by TROUPE_MODEL" }]);
  expect(about("anthropic")[0]?.text).toBe(
    `${server.url}/v1, key from ANTHROPIC_API_KEY: reachable`,
  );
  expect(about("team")).toMatchObject([{ state: "ok", text: expect.stringContaining("none yet") }]);
  expect(about("terminal")).toMatchObject([{ state: "ok" }]);
  expect(await readdir(directory.path)).toEqual([]);
});

test("for a person it is a line for each check, and one more for what to do", async () => {
  await using directory = await temporaryDirectory();

  const { code, out } = await troupeIn({ root: directory.path, env: {} }, "doctor");

  expect(code).toBe(1);
  expect(out).toContain("problem  model: none is chosen");
  expect(out[out.indexOf("problem  model: none is chosen") + 1]).toMatch(/^ {9}→ Name one/);
  expect(out.at(-1)).toBe("1 problem.");
});

test.each([
  ["anthropic", { ANTHROPIC_API_KEY: "sk-ant-0123456789" }, "/v1/models", "x-api-key"],
  ["anthropic", { ANTHROPIC_AUTH_TOKEN: "sk-ant-0123456789" }, "/v1/models", "authorization"],
  ["openai", { OPENAI_API_KEY: "sk-0123456789" }, "/v1/models", "authorization"],
  ["google", { GEMINI_API_KEY: "sk-0123456789" }, "/v1/models", "x-goog-api-key"],
  ["openai-compatible", {}, "/v1/models", undefined],
])("%s with %j is asked for its models", async (provider, keys, path, header) => {
  await using directory = await temporaryDirectory();
  await using server = await answering(200);

  const { about } = await examine(directory.path, { ...keys, ...baseUrl(provider, server.url) });

  expect(about(provider)).toMatchObject([{ state: "ok" }]);
  expect(server.seen).toHaveLength(1);
  expect(server.seen[0]?.url).toBe(path);
  if (header) expect(server.seen[0]?.headers[header]).toMatch(/sk-.*0123456789$/);
});

test.each([
  [401, "{}", "problem", "the key is refused (401)"],
  [403, "{}", "problem", "the key is refused (403)"],
  [400, '{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}', "problem", "the key is refused"],
  [404, "{}", "note", "reachable, but answers 404"],
  [429, "{}", "note", "reachable, but answers 429"],
  [503, "{}", "note", "reachable, but answers 503"],
  [307, "{}", "note", "reachable, but answers 307"],
])("an answer of %i is told as what it is", async (status, body, state, text) => {
  await using directory = await temporaryDirectory();
  await using server = await answering(status, body);
  const env = { OPENAI_API_KEY: "sk-0123456789", OPENAI_BASE_URL: `${server.url}/v1` };

  const { about, code } = await examine(directory.path, env);

  expect(about("openai")).toMatchObject([{ state, text: expect.stringContaining(text) }]);
  expect(server.seen).toHaveLength(1);
  if (state === "problem") expect(about("openai")[0]?.remedy).toContain("OPENAI_API_KEY");
  expect(code).toBe(1);
});

test("a provider that cannot be reached is told apart from one that refuses", async () => {
  await using directory = await temporaryDirectory();
  const server = await answering(200);
  await server[Symbol.asyncDispose]();

  const { about } = await examine(directory.path, { OPENAI_COMPATIBLE_BASE_URL: server.url });

  expect(about("openai-compatible")).toMatchObject([
    { state: "problem", text: expect.stringContaining("cannot be reached (ECONNREFUSED)") },
  ]);
});

test("providers that nobody set up are not asked, but the chosen model's is looked at", async () => {
  await using directory = await temporaryDirectory();

  const { about, report } = await examine(directory.path, { TROUPE_MODEL: "google/gemini" });

  expect(about("google")).toMatchObject([
    { state: "problem", text: "no key is set", remedy: expect.stringContaining("GEMINI_API_KEY") },
  ]);
  expect(about("model")).toMatchObject([{ state: "problem" }]);
  expect(report.checks.map(({ name }) => name)).not.toContain("openai");
});

test("no key is in any line, wherever somebody has put it", async () => {
  await using directory = await temporaryDirectory();
  await using server = await answering(401, "sk-secret-0123456789");
  const secret = "sk-secret-0123456789";
  await writeFile(join(directory.path, "keys.env"), "OPENAI_API_KEY=sk-in-a-file-0123\n");
  const env = {
    TROUPE_MODEL: `anthropic/${secret}`,
    ANTHROPIC_API_KEY: secret,
    ANTHROPIC_BASE_URL: server.url.replace("//", `//user:${secret}@`),
    OPENAI_BASE_URL: `${server.url}/sk-in-a-file-0123/v1`,
    GEMINI_API_KEY: secret,
    GOOGLE_GENERATIVE_AI_BASE_URL: `not a url with ${secret}`,
    OPENAI_COMPATIBLE_BASE_URL: `${server.url}/token-of-a-gateway/v1?key=${secret}`,
  };

  for (const flags of [[], ["--json"], ["--debug"]]) {
    const { out, err } = await troupeIn(
      { root: directory.path, env },
      ...["doctor", "--env-file", "keys.env", ...flags],
    );

    const text = [...out, ...err].join("\n");
    expect(text).toContain("ANTHROPIC_BASE_URL is not the base URL of an API");
    expect(text).not.toContain(secret);
    expect(text).not.toContain("sk-in-a-file");
    expect(text).not.toContain("token-of-a-gateway");
  }
  expect(server.seen.some(({ headers }) => headers.authorization?.includes("sk-in-a-file"))).toBe(
    true,
  );
});

test("files of settings are named, and whether consent is missing", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(
    join(directory.path, "troupe.json"),
    '{ "allow": ["bash"], "model": "openai/x" }',
  );

  const before = await examine(directory.path);
  await troupeIn({ root: directory.path, env: {} }, "trust");
  const after = await examine(directory.path);

  expect(before.about("settings").map(({ state }) => state)).toEqual(["ok", "ok", "note"]);
  expect(before.about("settings")[2]?.text).toContain("not in force: model, allow");
  expect(before.about("model")).toMatchObject([{ text: "none is chosen" }]);
  expect(after.about("settings").map(({ state }) => state)).toEqual(["ok", "ok"]);
  expect(after.about("model")[0]?.text).toContain(
    `openai/x, by ${join(directory.path, "troupe.json")}`,
  );
});

test("a file of settings that is wrong is a problem, and all else is looked at", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "troupe.json"), "{,}");

  const { about, code } = await examine(directory.path, { TROUPE_MODEL: "replay:x" });

  expect(code).toBe(1);
  expect(about("settings")).toMatchObject([
    { state: "problem", text: expect.stringContaining("troupe.json:1:2 is not JSON") },
  ]);
  expect(about("model")).toMatchObject([{ state: "ok", text: "replay:x, by TROUPE_MODEL" }]);
});

test("a team is told with who runs it", async () => {
  await using directory = await temporaryDirectory();
  const store = await openStore(directory.path);
  await enlist(store, member("alice"));

  const running = await examine(directory.path);
  await store[Symbol.asyncDispose]();
  const stopped = await examine(directory.path);

  expect(running.about("team")[0]?.text).toMatch(
    new RegExp(`1 teammates, format 1, pid ${process.pid} on .* runs it`),
  );
  expect(stopped.about("team")[0]?.text).toContain("nobody runs it");
});

test("damage in a team's directory is a problem, and what was kept of it a note", async () => {
  await using directory = await temporaryDirectory();
  const store = await openStore(directory.path);
  await store[Symbol.asyncDispose]();
  const team = join(directory.path, ".team");
  await mkdir(join(team, "tasks"), { recursive: true });
  await writeFile(join(team, "config.json"), "nonsense");
  await writeFile(join(team, "tasks", "a.json.damaged-2026-01-01"), "x");

  const { about, code, err } = await examine(directory.path);

  expect(code).toBe(1);
  expect(err).toEqual([]);
  expect(about("team")).toContainEqual(
    expect.objectContaining({ state: "problem", text: expect.stringContaining("config.json") }),
  );
  expect(about("team")).toContainEqual(
    expect.objectContaining({ state: "note", text: expect.stringContaining("a.json.damaged-") }),
  );
});

test("a file in the team's place is told with what to do", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, ".team"), "");

  const { about } = await examine(directory.path);

  expect(about("team")).toMatchObject([
    { state: "problem", remedy: expect.stringContaining("--team-dir") },
  ]);
});

test("a place for keys that is a file is a problem", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "state"), "");

  const { about } = await examine(directory.path);

  expect(about("keys")).toMatchObject([
    { state: "problem", remedy: expect.stringContaining("TROUPE_KEY_FILE") },
  ]);
});

test("a place for keys is tried, and nothing is left in it", async () => {
  await using directory = await temporaryDirectory();
  const keys = join(directory.path, "state", "troupe", "keys");
  await mkdir(keys, { recursive: true });

  const { about } = await examine(directory.path);

  expect(about("keys")).toMatchObject([{ state: "ok" }]);
  expect(await readdir(keys)).toEqual([]);
});

test("a check that does not answer is a problem, and keeps no other from being told", async () => {
  let isAborted = false;
  const silent: Check = {
    name: "silent",
    look: (signal) => new Promise(() => signal.addEventListener("abort", () => (isAborted = true))),
  };
  const quick: Check = { name: "quick", look: async () => [{ state: "ok", text: "here" }] };
  const schedule = (_: number, run: () => void) => {
    setImmediate(run);
    return () => undefined;
  };

  const findings = await runChecks([silent, quick], {
    schedule,
    signal: new AbortController().signal,
  });

  expect(findings).toMatchObject([
    { name: "silent", state: "problem", text: "has not answered within 5 s" },
    { name: "quick", state: "ok" },
  ]);
  expect(isAborted).toBe(true);
});

test("what a check throws that the system has not refused is a bug, and not hidden", async () => {
  const failing: Check = { name: "failing", look: () => Promise.reject(new TypeError("no")) };

  await expect(
    runChecks([failing], { schedule: () => () => {}, signal: new AbortController().signal }),
  ).rejects.toThrow("no");
});

test.each([
  ["20.19.0", "ok"],
  ["22.1.0", "ok"],
  ["20.18.3", "problem"],
  ["18.20.0", "problem"],
])("Node %s where >=20.19 is needed: %s", (version, state) => {
  expect(nodeFinding(version, ">=20.19")).toMatchObject({ state });
});

test.each([
  [2 ** 40, "ok"],
  [500 * 2 ** 20, "note"],
  [2 ** 20, "problem"],
])("%i free bytes: %s", (bytes, state) => {
  expect(spaceFinding(bytes)).toMatchObject({ state });
});

function baseUrl(provider: string, url: string): Record<string, string> {
  if (provider === "anthropic") return { ANTHROPIC_BASE_URL: url };
  const names: Record<string, string> = {
    openai: "OPENAI_BASE_URL",
    google: "GOOGLE_GENERATIVE_AI_BASE_URL",
    "openai-compatible": "OPENAI_COMPATIBLE_BASE_URL",
  };
  return { [names[provider] ?? ""]: `${url}/v1` };
}
