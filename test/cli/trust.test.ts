import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordAnswer } from "../../src/cli/settings/consent.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";
import { configured } from "./settings/configured.ts";
import { troupe, troupeIn } from "./troupe.ts";

const loose = { allow: ["write_file"], deny: ["bash"], "max-turns": 500 };

test("settings that loosen need consent, and stricter ones always apply", async () => {
  await using it = await configured({ workspace: loose });

  const before = await it.resolve();
  await troupe(it.root, "trust");
  const after = await it.resolve();

  expect(before).toMatchObject({ allow: [], deny: ["bash"], "max-turns": 200 });
  expect(before.pending).toMatchObject({
    wasDeclined: false,
    loosenings: [{ name: "allow" }, { name: "max-turns" }],
  });
  expect(after).toMatchObject(loose);
  expect(after.pending).toBeUndefined();
});

test("a run continues without the settings that need consent, and says so in one line", async () => {
  await using it = await configured({ workspace: { allow: ["write_file"] } });
  await using server = await ProviderServer.start({ strict: true });
  const env = { ...providerEnvironment(server), TROUPE_MODEL: "anthropic/scripted" };
  const go = () => {
    server.reply(calls("write_file", { path: "a.txt", content: "a" }), says("Done."));
    return troupeIn({ root: it.root, env }, "run", "Go.");
  };

  const untrusted = await go();
  await expect(readFile(join(it.root, "a.txt"))).rejects.toThrow("ENOENT");
  await troupe(it.root, "trust");
  const trusted = await go();

  expect(untrusted).toMatchObject({ code: 0, out: ["Done."] });
  expect(untrusted.err.filter((line) => line.includes("troupe trust"))).toEqual([
    expect.stringMatching(/troupe\.json is not trusted.* ignored: allow\./),
  ]);
  expect(trusted.err.join("\n")).not.toContain("trust");
  expect(await readFile(join(it.root, "a.txt"), "utf8")).toBe("a");
});

test("trust shows exactly what it consents to, in full and without control characters", async () => {
  const long = `bash(echo ${"x".repeat(3_000)} end:*)`;
  await using it = await configured({
    workspace: {
      allow: [long, "bash(a\u001b[2Jb)"],
      "permission-mode": "acceptEdits",
      ask: ["bash"],
    },
  });

  const { code, out } = await troupe(it.root, "trust");

  expect(code).toBe(0);
  expect(out.slice(1, -1)).toEqual([
    "- permission-mode: acceptEdits (without it: default)",
    `- allow: ${long}`,
    "- allow: bash(a\\x1b[2Jb)",
  ]);
});

test("--show does not consent, --revoke withdraws consent", async () => {
  await using it = await configured({ workspace: loose });

  const shown = await troupe(it.root, "trust", "--show");
  expect((await it.resolve()).pending).toBeDefined();
  await troupe(it.root, "trust");
  expect((await it.resolve()).pending).toBeUndefined();
  const revoked = await troupe(it.root, "trust", "--revoke");

  expect((await it.resolve()).pending).toBeDefined();
  expect(shown.out[0]).toContain("is not trusted");
  expect(revoked).toMatchObject({ code: 0, out: shown.out });
});

test("a named file alone is trusted, and one with nothing to trust is refused", async () => {
  await using it = await configured({ workspace: loose });

  const other = await troupe(it.root, "trust", "package.json");
  const named = await troupe(it.root, "trust", "troupe.json");

  expect(other).toMatchObject({
    code: 2,
    err: [
      expect.stringContaining("nothing in it that needs trust"),
      expect.stringContaining(it.paths.workspace),
    ],
  });
  expect(named).toMatchObject({ code: 0, out: expect.arrayContaining(["- allow: write_file"]) });
  expect((await it.resolve()).pending).toBeUndefined();
});

test("P30: trust in the servers of a file is none in its settings, where a link makes it settings", async () => {
  await using it = await configured();
  const hooks = { SessionStart: [{ hooks: [{ type: "command", command: "touch pwned" }] }] };
  const servers = { docs: { command: "docs-server" } };
  const file = { mcpServers: servers, hooks, "permission-mode": "acceptEdits" };
  await writeFile(join(it.root, ".mcp.json"), JSON.stringify(file));
  const trusted = await troupe(it.root, "trust");
  await symlink(".mcp.json", it.paths.workspace);

  const linked = await it.resolve();
  await troupe(it.root, "trust", "--revoke");
  await it.trust();
  const onlySettings = await it.resolve();

  expect(trusted.out.filter((line) => line.startsWith("- "))).toEqual([
    '- mcpServers: docs: {"command":"docs-server"}',
  ]);
  expect(linked).toMatchObject({ "permission-mode": "default", hookSources: [] });
  expect(linked.mcp.servers).toEqual(servers);
  expect(linked.pending?.loosenings.map(({ name }) => name)).toContain("hooks");
  expect(onlySettings).toMatchObject({ "permission-mode": "acceptEdits", pending: undefined });
  expect((await troupe(it.root, "trust", "--show")).out).toContain(
    `${join(it.root, ".mcp.json")} is not trusted. These MCP servers are not used:`,
  );
});

test("P30: a repository's server needs consent whatever its name is", async () => {
  await using it = await configured({
    workspace: { mcpServers: { constructor: { command: "evil", sandbox: false } } },
  });

  const before = await it.resolve();
  await it.trust();
  const after = await it.resolve();

  expect(Object.keys(before.mcp.servers)).toEqual([]);
  expect(before.pending?.loosenings).toMatchObject([{ name: "mcpServers" }]);
  expect(after.mcp.untrusted).toEqual(["constructor"]);
});

test("--json prints the same for a program", async () => {
  await using it = await configured({ workspace: loose });

  const { out } = await troupe(it.root, "trust", "--json");

  expect(JSON.parse(out.join("\n"))).toEqual({
    path: it.paths.workspace,
    exists: true,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    loosens: ["allow: write_file", "max-turns: 500 (without it: 200)"],
    trusted: true,
    files: [
      {
        path: it.paths.workspace,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        needs: ["allow: write_file", "max-turns: 500 (without it: 200)"],
        trusted: true,
      },
    ],
  });
});

test("if nothing needs consent, trust says so and stores nothing", async () => {
  await using it = await configured();
  const missing = await troupe(it.root, "trust");
  await it.write("workspace", { deny: ["bash"] });
  const strict = await troupe(it.root, "trust");

  expect(missing).toMatchObject({ code: 0, out: [expect.stringContaining("There is no ")] });
  expect(strict).toMatchObject({
    code: 0,
    out: [expect.stringContaining("loosens none of your own settings")],
  });
  expect(await readdir(it.root)).not.toContain("state");
});

test("if the file changes by a byte, consent is needed again, until it is restored", async () => {
  await using it = await configured({ workspace: loose });
  await it.trust();

  await it.write("workspace", `${JSON.stringify(loose)} `);
  const changed = await it.resolve();
  await it.write("workspace", loose);
  const back = await it.resolve();

  expect(changed.pending).toBeDefined();
  expect(back.pending).toBeUndefined();
});

test("consent is for one path: a copy of the file elsewhere has none, a link to it has", async () => {
  await using it = await configured({ workspace: loose });
  await it.trust();
  await mkdir(join(it.root, "copy"));
  await writeFile(join(it.root, "copy", "troupe.json"), JSON.stringify(loose));
  await symlink(it.root, join(it.root, "link"));

  expect((await it.resolve({ cwd: "copy" })).pending).toBeDefined();
  expect((await it.resolve({ cwd: "link" })).pending).toBeUndefined();
});

test("consent is private to this user", async () => {
  await using it = await configured({ workspace: loose });
  await it.trust();

  const directory = join(it.root, "state", "troupe", "trusted");
  const names = await readdir(directory);

  expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.json$/)]);
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  expect((await stat(join(directory, names[0] ?? ""))).mode & 0o777).toBe(0o600);
});

test.each([
  ["nothing", (path: string) => writeFile(path, "")],
  ["no JSON", (path: string) => writeFile(path, '{"path":')],
  ["another shape", (path: string) => writeFile(path, '{"answer":"trusted"}')],
  [
    "another answer",
    async (path: string) => {
      await writeFile(path, (await readFile(path, "utf8")).replace("trusted", "maybe"));
    },
  ],
  [
    "a directory",
    async (path: string) => {
      await rm(path);
      await mkdir(path);
    },
  ],
])("a record that is %s is not consent", async (_, damage) => {
  await using it = await configured({ workspace: loose });
  await it.trust();
  const directory = join(it.root, "state", "troupe", "trusted");
  const [name = ""] = await readdir(directory);

  await damage(join(directory, name));

  expect((await it.resolve()).pending).toBeDefined();
});

test("a declined consent is distinguished from one that was not asked", async () => {
  await using it = await configured({ workspace: loose });
  const { pending } = await it.resolve();
  if (pending) await recordAnswer(pending.file, "declined", it.processInfo);

  expect((await it.resolve()).pending).toMatchObject({ wasDeclined: true });
  await troupe(it.root, "trust");
  expect((await it.resolve()).pending).toBeUndefined();
});

test("nothing needs consent if flags and environment set all of it", async () => {
  await using it = await configured({ workspace: { model: "openai/x", "max-turns": 500 } });
  const env = { TROUPE_MODEL: "openai/mine" };

  expect((await it.resolve({ "max-turns": "300" }, env)).pending).toBeUndefined();
  expect((await it.resolve({}, env)).pending).toBeDefined();
  expect((await it.resolve({ "max-turns": "300" })).pending).toBeDefined();
});

test("an invalid file cannot be consented to", async () => {
  await using it = await configured({ workspace: { allow: ["bash("] } });

  const { code, out, err } = await troupe(it.root, "trust");

  expect({ code, out }).toEqual({ code: 2, out: [] });
  expect(err[0]).toContain("is not a permission rule");
});

test("no key is sent to another address for a repository's model", async () => {
  await using it = await configured({ workspace: { model: "anthropic/theirs" } });
  await it.trust();
  await using server = await ProviderServer.start({ strict: true });
  server.reply(says("Done."));

  const { code } = await troupeIn(
    { root: it.root, env: providerEnvironment(server) },
    "run",
    "Go.",
  );

  expect(code).toBe(0);
  expect(server.requests[0]?.body).toMatchObject({ model: "theirs" });
});
