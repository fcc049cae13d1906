import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Check, runChecks } from "../../src/cli/doctor/check.ts";
import { spaceFinding } from "../../src/cli/doctor/machine.ts";
import { nodeFinding, programChecks } from "../../src/cli/doctor/programs.ts";
import { readTextIfExists } from "../../src/lib/files.ts";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import { CommitId, MemberName } from "../../src/protocol/ids.ts";
import { trySandbox } from "../../src/team/team-sandbox.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noSandbox } from "../support/no-sandbox.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { answering, examine } from "./examine.ts";
import { troupeIn } from "./troupe.ts";

test("a complete setup has no problems: exit 0", async () => {
  await using directory = await temporaryDirectory();
  await using server = await answering(200);
  const env = {
    TROUPE_MODEL: "anthropic/claude-sonnet-5-5",
    ANTHROPIC_API_KEY: "sk-ant-0123456789",
    ANTHROPIC_BASE_URL: server.url,
  };

  const { code, report, about } = await examine(directory.path, env);

  expect(report.checks.filter(({ state }) => state === "problem")).toEqual([]);
  expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true });
  expect(about("node")).toMatchObject([{ state: "ok", text: process.versions.node }]);
  expect(about("ripgrep")[0]?.text).toContain("ripgrep");
  expect(about("model")).toMatchObject([{ text: "anthropic/claude-sonnet-5-5, by TROUPE_MODEL" }]);
  expect(about("anthropic")[0]?.text).toBe(
    `${server.url}/v1, key from ANTHROPIC_API_KEY: reachable`,
  );
  expect(about("team")).toMatchObject([{ state: "ok", text: expect.stringContaining("none yet") }]);
  expect(about("terminal")).toMatchObject([{ state: "ok" }]);
  expect(await readdir(directory.path)).toEqual([]);
});

test("of a model that is not known, it is noted what is assumed, unless the settings say it", async () => {
  await using directory = await temporaryDirectory();
  const env = {
    TROUPE_MODEL: "openai-compatible/qwen",
    OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9/v1",
    XDG_CONFIG_HOME: directory.path,
  };

  const { about } = await examine(directory.path, env);
  expect(about("model")).toMatchObject([
    { state: "ok" },
    { state: "note", text: expect.stringContaining("a context window of 128000 tokens") },
  ]);

  const models = { "openai-compatible/*": { "context-window": 40_000, "max-output": 4_000 } };
  await mkdir(join(directory.path, "troupe"), { recursive: true });
  await writeFile(join(directory.path, "troupe/config.json"), JSON.stringify({ models }));
  expect((await examine(directory.path, env)).about("model")).toHaveLength(1);
});

test("the text output has a line for each check, and one more for each hint", async () => {
  await using directory = await temporaryDirectory();

  const { code, out } = await troupeIn({ root: directory.path, env: {} }, "doctor");

  expect(code).toBe(1);
  expect(out).toContain("problem  model: none chosen");
  expect(out[out.indexOf("problem  model: none chosen") + 1]).toMatch(
    /^ {9}→ Set ANTHROPIC_API_KEY \(then anthropic\/claude-sonnet-5-5 is used\)/,
  );
  expect(out.at(-1)).toBe("1 problem.");
});

test("settings files are listed, with missing consent", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(
    join(directory.path, "troupe.json"),
    '{ "allow": ["bash"], "model": "openai/x" }',
  );

  const before = await examine(directory.path);
  await troupeIn({ root: directory.path, env: {} }, "trust");
  const after = await examine(directory.path);

  expect(before.about("settings").map(({ state }) => state)).toEqual(["ok", "ok", "note"]);
  expect(before.about("settings")[2]?.text).toContain("ignored: model, allow");
  expect(before.about("model")).toMatchObject([{ text: "none chosen" }]);
  expect(after.about("settings").map(({ state }) => state)).toEqual(["ok", "ok"]);
  expect(after.about("model")[0]?.text).toContain(
    `openai/x, by ${join(directory.path, "troupe.json")}`,
  );
});

test("an invalid settings file is a problem, and the other checks still run", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "troupe.json"), "{,}");

  const { about, code } = await examine(directory.path, { TROUPE_MODEL: "replay:x" });

  expect(code).toBe(1);
  expect(about("settings")).toMatchObject([
    { state: "problem", text: expect.stringContaining("troupe.json:1:2 is not JSON") },
  ]);
  expect(about("model")).toMatchObject([{ state: "ok", text: "replay:x, by TROUPE_MODEL" }]);
});

test("a team is listed with the process that runs it", async () => {
  await using directory = await temporaryDirectory();
  const store = await openStore(directory.path);
  await enlist(store, member("alice"));

  const running = await examine(directory.path);
  await store[Symbol.asyncDispose]();
  const stopped = await examine(directory.path);

  expect(running.about("team")[0]?.text).toMatch(
    new RegExp(`1 teammate, format 1, pid ${process.pid} on .* runs it`),
  );
  expect(stopped.about("team")[0]?.text).toContain("not running");
});

test("checkouts are named with what they take of the disk, and retired ones with how to remove them", async () => {
  await using directory = await temporaryDirectory();
  const base = CommitId.parse("a".repeat(40));
  const [here, retired] = ["here", "retired"].map((name) => join(directory.path, name));
  for (const path of [String(here), String(retired)]) {
    await mkdir(path);
    await writeFile(join(path, "big.bin"), Buffer.alloc(2_000_000, 1));
  }
  await using store = await openStore(directory.path);
  const alice = MemberName.parse("alice");
  const record = {
    ...({ id: alice, state: "ready", path: String(here), base, incarnation: "1" } as const),
    ...{ repository: directory.path, target: "troupe/default", branch: "troupe/alice" },
  };
  await store.checkouts.put({ ...record, earlier: [] });

  const one = await examine(directory.path);
  const earlier = [{ path: String(retired), base, retired_at: "2026-01-01T09:00:00.000Z" }];
  await store.checkouts.put({ ...record, earlier });
  const two = await examine(directory.path);

  expect(one.about("team")).toContainEqual(
    expect.objectContaining({ state: "ok", text: "1 checkout takes 2.0 MB of the disk" }),
  );
  expect(two.about("team")).toContainEqual(
    expect.objectContaining({
      ...{ state: "note", remedy: expect.stringContaining("troupe checkouts --clean") },
      text: "2 checkouts take 4.0 MB of the disk, retired ones 2.0 MB of it",
    }),
  );
});

test("damage in a team's directory is a problem, and kept damaged files are a note", async () => {
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

test("a file in place of the team's directory is reported with a hint", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, ".team"), "");

  const { about } = await examine(directory.path);

  expect(about("team")).toMatchObject([
    { state: "problem", remedy: expect.stringContaining("--team-dir") },
  ]);
});

test("a key directory that is a file is a problem", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "state"), "");

  const { about } = await examine(directory.path);

  expect(about("keys")).toMatchObject([
    { state: "problem", remedy: expect.stringContaining("TROUPE_KEY_FILE") },
  ]);
});

test("the key directory is tested, and nothing is left in it", async () => {
  await using directory = await temporaryDirectory();
  const keys = join(directory.path, "state", "troupe", "keys");
  await mkdir(keys, { recursive: true });

  const { about } = await examine(directory.path);

  expect(about("keys")).toMatchObject([{ state: "ok" }]);
  expect(await readdir(keys)).toEqual([]);
});

test("a check that does not answer is a problem, and does not block the others", async () => {
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
    { name: "silent", state: "problem", text: "did not answer within 5 s" },
    { name: "quick", state: "ok" },
  ]);
  expect(isAborted).toBe(true);
});

test("an unexpected exception in a check is a bug, and not hidden", async () => {
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

test("a program that does not end on request is killed", async () => {
  await using directory = await temporaryDirectory();
  const pidFile = join(directory.path, "pid");
  const git = join(directory.path, "git");
  await writeFile(git, `#!/bin/sh\ntrap "" TERM\necho $$ > ${pidFile}\nexec sleep 60\n`);
  await chmod(git, 0o755);
  const env = { PATH: `${directory.path}:${process.env.PATH}` };
  const check = programChecks({ env }, directory.path).find(({ name }) => name === "git");
  const limit = new AbortController();
  const looking = check?.look(limit.signal);
  await expect.poll(() => readTextIfExists(pidFile)).toMatch(/\d\n/);

  limit.abort();

  expect(await looking).toMatchObject([{ state: "note", text: "is not installed" }]);
  const pid = Number(await readTextIfExists(pidFile));
  await expect.poll(() => systemProcesses.startOf(pid)).toBeUndefined();
});

test("the sandbox is tried: one that does not work is named, with what to do", async () => {
  const look = (path: string) =>
    programChecks({ env: { PATH: path } }, "/nonexistent")
      .find(({ name }) => name === "sandbox")
      ?.look(new AbortController().signal);

  await using directory = await temporaryDirectory();
  const script = `[ "$1" = --version ] && echo bubblewrap 0.8.0 || { echo "bwrap: no namespaces" >&2; exit 1; }`;
  await writeFile(join(directory.path, "bwrap"), `#!/bin/sh\n${script}\n`);
  await chmod(join(directory.path, "bwrap"), 0o755);

  expect(await look(directory.path)).toMatchObject([
    {
      state: "note",
      text: "nsenter is not installed",
      remedy: expect.stringMatching(/util-linux/),
    },
  ]);
  await writeFile(join(directory.path, "nsenter"), "#!/bin/sh\necho nsenter 2.38\n", {
    mode: 0o755,
  });

  expect(await look(directory.path)).toMatchObject([
    { state: "note", text: expect.stringContaining("no namespaces"), remedy: expect.any(String) },
  ]);
  expect(await look("/nonexistent")).toMatchObject([
    { state: "note", text: "bubblewrap is not installed" },
  ]);
});

test.skipIf(noSandbox)(
  "a sandbox that the kernel refuses, as in a sandbox, is named with what is missing",
  async () => {
    await using directory = await temporaryDirectory();
    const nested = `exec /usr/bin/bwrap --unshare-user --disable-userns --dev-bind / / /usr/bin/bwrap "$@"`;
    await writeFile(join(directory.path, "bwrap"), `#!/bin/sh\n${nested}\n`, { mode: 0o755 });
    const PATH = `${directory.path}:${process.env.PATH}`;

    const found = await trySandbox({ path: PATH, workspace: "/nonexistent" });

    expect(found).toMatchObject({
      type: "missing",
      problem: expect.stringMatching(/^bubblewrap does not work: .*namespace/),
      remedy: expect.stringMatching(/user namespaces/),
    });
  },
);

test.skipIf(noSandbox)("a sandbox that works is named with its version", async () => {
  const check = programChecks({ env: { PATH: process.env.PATH } }, "/nonexistent").find(
    ({ name }) => name === "sandbox",
  );

  expect(await check?.look(new AbortController().signal)).toMatchObject([
    { state: "ok", text: expect.stringMatching(/^bubblewrap [\d.]+ works/) },
  ]);
});
