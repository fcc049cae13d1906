import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ProviderServer } from "../../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { providerEnvironment } from "../../support/agent-on-wire.ts";
import { troupe, troupeIn } from "../troupe.ts";

/** A workspace with these files, which is the person's home, too. */
async function workspace(files: Readonly<Record<string, string | object>>) {
  const directory = await temporaryDirectory();
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory.path, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  }
  return directory;
}

const settings = ".claude/settings.json";
const permissions = {
  allow: ["Edit(/src/**)", "Bash(* --version)"],
  deny: ["Read(.env)", "Read(*.{pem,key})"],
};

test("init says what is in force, what is not, and what it would write, and changes nothing", async () => {
  await using it = await workspace({
    "AGENTS.md": "Be brief.",
    ".claude/commands/fix.md": "Fix it.",
    ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews\n---\nReview.",
    ".mcp.json": { mcpServers: { files: { command: "never-run" } } },
    ".codex/config.toml": 'model = "x"',
    [settings]: { permissions, env: { TOKEN: "hidden" } },
  });

  const { code, out, err } = await troupe(it.path, "init");

  expect({ code, err }).toEqual({ code: 0, err: [] });
  const text = out.join("\n");
  expect(text).toMatch(/in force:.*AGENTS\.md: instructions\n.*command fix\n.*role reviewer\n/s);
  expect(text).toMatch(/not in force:\n {2}WARNING: \S+: deny Read\(\*\.\{pem,key\}\): /);
  expect(text).toMatch(/\.mcp\.json: not trusted: .*troupe trust/);
  expect(text).toMatch(/\.codex\/config\.toml: settings of Codex: it is not read/);
  expect(text).toMatch(/puts into troupe\.json:\n {2}deny: read_file\(\*\*\/\.env\) /);
  expect(text).not.toContain("hidden");
  expect(await readdir(it.path)).not.toContain("troupe.json");
});

test("a run keeps to what init has written, and what allows more waits for consent", async () => {
  await using it = await workspace({ [settings]: { permissions }, ".env": "KEY=1" });
  await using server = await ProviderServer.start({ strict: true });
  const env = { ...providerEnvironment(server), TROUPE_MODEL: "anthropic/scripted" };
  const go = () => {
    server.reply(
      calls("write_file", { path: "src/a.txt", content: "a" }),
      calls("read_file", { path: ".env" }),
      says("Done."),
    );
    return troupeIn({ root: it.path, env }, "run", "Go.");
  };

  const written = await troupe(it.path, "init", "--write", "--json");
  const untrusted = await go();
  await expect(readFile(join(it.path, "src/a.txt"))).rejects.toThrow("ENOENT");
  await troupe(it.path, "trust");
  const trusted = await go();

  expect(JSON.parse(written.out.join("\n"))).toMatchObject({
    written: join(it.path, "troupe.json"),
  });
  expect(untrusted.err.join("\n")).toMatch(/troupe\.json is not trusted.* ignored: allow\./);
  expect(trusted).toMatchObject({ code: 0, out: ["Done."] });
  expect(await readFile(join(it.path, "src/a.txt"), "utf8")).toBe("a");
  const { messages } = JSON.parse(JSON.stringify(server.requests.at(-1)?.body));
  expect(JSON.stringify(messages)).toContain("deny read_file(**/.env)");
  expect(JSON.stringify(messages)).not.toContain("KEY=1");
});

test("an existing troupe.json is left alone without --force, and keeps what it has with it", async () => {
  const existing = { deny: ["bash(rm:*)"], "max-turns": 7 };
  await using it = await workspace({ [settings]: { permissions }, "troupe.json": existing });
  const read = async () => JSON.parse(await readFile(join(it.path, "troupe.json"), "utf8"));

  const refused = await troupe(it.path, "init", "--write");
  const before = await read();
  const added = await troupe(it.path, "init", "--write", "--force");
  const again = await troupe(it.path, "init", "--write");

  expect(refused).toMatchObject({
    code: 1,
    err: [expect.stringContaining("already exists"), expect.anything()],
  });
  expect(before).toEqual(existing);
  expect(added.code).toBe(0);
  expect(await read()).toMatchObject({
    "max-turns": 7,
    deny: ["bash(rm:*)", "read_file(**/.env)"],
    allow: ["edit_file(src/**)"],
    $comment: expect.arrayContaining([expect.stringMatching(/^NOT IN FORCE: deny Read\(\*\.\{/)]),
  });
  expect(again).toMatchObject({ code: 0 });
  expect(again.out.at(-1)).toBe("There is nothing to put into troupe.json.");
});

test.each([
  [
    "broken JSON, with line and column",
    '{\n "permissions": {,\n}',
    /settings\.json:2:18 is not JSON/,
  ],
  ["a key that is there twice", '{"permissions": {"deny": ["Bash"], "deny": []}}', /"deny" twice/],
  ["a rule that is no text", '{"permissions": {"deny": [1]}}', /"permissions" is wrong, at deny/],
  ["too many bytes", `{"a": "${"x".repeat(10_000_000)}"}`, /is larger than 262144 bytes/],
])("%s is told, and then nothing is written", async (_, text, problem) => {
  await using it = await workspace({ [settings]: text, "AGENTS.md": "Be brief." });

  const shown = await troupe(it.path, "init");
  const written = await troupe(it.path, "init", "--write");

  expect(shown.code).toBe(0);
  expect(shown.out.find((line) => line.includes("WARNING"))).toMatch(problem);
  expect(written).toMatchObject({ code: 2, out: [] });
  expect(written.err[0]).toMatch(/^error: Nothing was written: /);
  expect(await readdir(it.path)).not.toContain("troupe.json");
});

test("a link out of the workspace is not followed, and a pipe is not waited for", async () => {
  await using it = await workspace({ "repository/.claude/x": "", "outside.json": { env: {} } });
  const root = join(it.path, "repository");
  await symlink("../../outside.json", join(root, settings));
  execFileSync("mkfifo", [join(root, ".claude/settings.local.json")]);

  const { out } = await troupe(root, "init");

  expect(out.find((line) => line.includes("settings.json"))).toMatch(/leads out of the workspace/);
  expect(out.find((line) => line.includes("settings.local.json"))).toMatch(/not a settings file/);
});

test("control characters and unknown keys are shown, and mean nothing", async () => {
  await using it = await workspace({
    [settings]: '{"__proto__": {"a": 1}, "permissions": {"allow": ["Bash(a\\u001b[2Jb)"]}}',
  });

  const { out } = await troupe(it.path, "init");

  const text = out.join("\n");
  expect(text).toContain("allow Bash(a\\x1b[2Jb)");
  expect(text).toContain("__proto__: Troupe has no such setting");
  expect(text).not.toContain("\u001b");
});

test("what is the person's own is not written into the file that they share", async () => {
  await using it = await workspace({
    ".claude/settings.local.json": { permissions: { deny: ["Bash(curl:*)", "Bash(wget:*)"] } },
    "config/troupe/config.json": { deny: ["bash(wget:*)"] },
  });

  const { out } = await troupe(it.path, "init", "--write");

  expect(out).toContainEqual(expect.stringMatching(/WARNING: .*deny: bash\(curl:\*\) into/));
  expect(out).toContainEqual(expect.stringMatching(/deny Bash\(wget:\*\)$/));
  expect(await readdir(it.path)).not.toContain("troupe.json");
});

test("a troupe.json that is a link to the person's own settings is not written through", async () => {
  const own = { "max-turns": 7 };
  await using it = await workspace({
    [`repository/${settings}`]: { permissions },
    "repository/config/troupe/config.json": own,
  });
  const root = join(it.path, "repository");
  await symlink("config/troupe/config.json", join(root, "troupe.json"));

  const { code, err } = await troupe(root, "init", "--write", "--force");

  expect({ code, first: err[0] }).toMatchObject({
    code: 1,
    first: expect.stringMatching(/is a link to/),
  });
  const after = await readFile(join(root, "config/troupe/config.json"), "utf8");
  expect(JSON.parse(after)).toEqual(own);
});
