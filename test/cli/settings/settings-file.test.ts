import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettingsFile } from "../../../src/cli/settings/settings-file.ts";
import { OwnModels } from "../../../src/model/model-facts.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { troupe } from "../troupe.ts";

const good = { "permission-mode": "plan", "max-cost": 2.5, autoclaim: false, deny: ["bash"] };

async function read(content: string | Buffer) {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "troupe.json");
  await writeFile(path, content);
  return await readSettingsFile(path);
}

test.each([
  ["as it is", JSON.stringify(good)],
  ["with a byte order mark", `\uFEFF${JSON.stringify(good)}`],
  ["with a comment", JSON.stringify({ $comment: ["Two", "lines"], ...good })],
  ["with the schema's address", JSON.stringify({ $schema: "./x.json", ...good })],
])("a settings file is read, %s", async (_, text) => {
  expect((await read(text))?.stated).toEqual(good);
});

test("the facts of a model are read, with names as the library has them", async () => {
  const price = {
    input: 0.1,
    output: 0.4,
    "cache-read": 0.01,
    "cache-write": 0.2,
    "cache-write-1h": 0.3,
  };
  const long = { above: 200_000, input: 0.2, output: 0.8 };
  const entry = { price: { ...price, long }, "context-window": 131_072, "max-output": 32_768 };

  const { stated } = (await read(JSON.stringify({ models: { "local/qwen*": entry } }))) ?? {};

  const rates = { input: 0.1, output: 0.4, cacheRead: 0.01, cacheWrite: 0.2, cacheWrite1h: 0.3 };
  expect(stated?.models).toEqual({
    "local/qwen*": {
      price: { ...rates, long: { ...long, cacheRead: undefined, cacheWrite: undefined } },
      contextWindow: 131_072,
      maxOutput: 32_768,
    },
  });
  expect(OwnModels.parse(stated?.models)).toEqual(stated?.models);
});

test("an empty object and a missing file have no settings", async () => {
  expect((await read("{}"))?.stated).toEqual({});
  expect(await readSettingsFile("/nowhere/troupe.json")).toBeUndefined();
  expect(await readSettingsFile("/etc/hostname/troupe.json")).toBeUndefined();
});

test("a link is resolved to the real file", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "real.json"), JSON.stringify(good));
  await symlink("real.json", join(directory.path, "troupe.json"));

  const file = await readSettingsFile(join(directory.path, "troupe.json"));

  expect(file).toMatchObject({ stated: good, realPath: expect.stringMatching(/real\.json$/) });
});

test.each([
  ['{\n  "max-turns": 1,\n}', ":3:1 is not JSON"],
  ["", ":1:1 is not JSON"],
  ['{ // no\n "ask": [] }', ":1:3 is not JSON"],
  ["[]", "is a list, but must be an object"],
  ["null", "is null, but must be an object"],
  ['"plan"', 'is "plan", but must be an object'],
  ['{"max-turns": "5"}', '"max-turns" is "5", but must be a whole number from 1'],
  ['{"max-turns": 0}', '"max-turns" is 0, but must be'],
  ['{"max-cost": null}', '"max-cost" is null, but must be a number of dollars'],
  ['{"timeout": 1e999}', '"timeout" is null, but must be a number of seconds'],
  ['{"permission-mode": "yolo"}', "must be plan, default or acceptEdits"],
  ['{"permission-mode": "bypassPermissions"}', "bypassPermissions can only be a flag"],
  ['{"allow": "bash"}', '"allow" is "bash", but must be a list of permission rules'],
  ['{"allow": ["bash", 5]}', '"allow" has 5 in it, which is not a permission rule'],
  ['{"deny": ["bash("]}', '"deny": "bash(" is not a permission rule'],
  ['{"deny": ["Bash"]}', '"deny": "Bash" is not a permission rule'],
  ['{"model": {"apiKey": "sk-secret"}}', '"model" is an object, but must be'],
  ['{"model": ""}', '"model" is "", but must be'],
  ['{"max-output": 1.5}', '"max-output" is 1.5, but must be a whole number from 1'],
  ['{"models": 1}', '"models" must be an object with the facts of a model under each id'],
  ['{"models": {"a/b": 1}}', '"models": the entry of "a/b" is wrong'],
  ['{"models": {"a/b": {"price": {"input": 1}}}}', 'the entry of "a/b" is wrong: "price" is wrong'],
  ['{"models": {"a/b": {"context_window": 1}}}', 'the entry of "a/b" is wrong'],
  ['{"autoclaim": 1}', '"autoclaim" is 1, but must be true or false'],
  ['{"__proto__": {"allow": ["bash"]}}', '"__proto__" is not a setting'],
  ['{"constructor": 1}', '"constructor" is not a setting'],
  [Buffer.from([0x7b, 0xff, 0x7d]), "is not UTF-8 text"],
  [Buffer.from("\uFEFF{}", "utf16le"), "is not UTF-8 text"],
  ["x".repeat(300_000), "is larger than"],
])("%j is refused and reported: %s", async (text, problem) => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "troupe.json");
  await writeFile(path, text);

  const { code, out, err } = await troupe(directory.path, "run", "Go.");

  expect(code).toBe(2);
  expect(out).toEqual([]);
  expect(err).toHaveLength(2);
  expect(err[0]).toMatch(/^error: \//);
  expect(err[0]).toContain(path);
  expect(err[0]).toContain(problem);
  expect(err.join("\n")).not.toContain("sk-secret");
});

test.each([
  ["max-turn", 'Did you mean "max-turns"?'],
  ["maxTurns", 'Did you mean "max-turns"?'],
  ["permissionMode", 'Did you mean "permission-mode"?'],
  ["Deny", 'Did you mean "deny"?'],
  ["frobnicate", "Settings: model, "],
])("the unknown key %s gets the hint: %s", async (key, hint) => {
  await expect(read(JSON.stringify({ [key]: 1 }))).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining(`"${key}" is not a setting`),
    hint: expect.stringContaining(hint),
  });
});

test.each([
  ["Bash", "Did you mean bash?"],
  ["Bash(npm test:*)", "Did you mean bash(npm test:*)?"],
  ["Read_File(.env)", "Did you mean read_file(.env)?"],
])("the rule %s, in capitals, gets the hint: %s", async (rule, hint) => {
  await expect(read(JSON.stringify({ allow: [rule] }))).rejects.toMatchObject({
    code: "config-invalid",
    hint: expect.stringContaining(hint),
  });
});

test.each([
  ...["base-url", "baseUrl", "BASE_URL", "ANTHROPIC_BASE_URL", "openai.base_url", "endpoint"],
  ...["api-key", "apiKey", "ANTHROPIC_API_KEY", "key", "token", "auth-token", "headers", "proxy"],
  ...["env", "env-file", "environment", "hook", "pre-hook", "provider", "mcp"],
])("%s is refused with a hint where to set it, and its value is not shown", async (key) => {
  await expect(read(JSON.stringify({ [key]: "sk-very-secret" }))).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringMatching(/cannot be set in a file$/),
    hint: expect.stringContaining("environment"),
  });
});

test.each(["cwd", "fresh", "record", "team-dir", "output", "debug"])(
  "%s can only be set for one start",
  async (key) => {
    await expect(read(JSON.stringify({ [key]: true }))).rejects.toMatchObject({
      code: "config-invalid",
      hint: expect.stringContaining(`--${key}`),
    });
  },
);

test("a directory in place of the file is reported", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, "troupe.json"));

  const { code, out, err } = await troupe(directory.path, "run", "Go.");

  expect({ code, out }).toEqual({ code: 2, out: [] });
  expect(err[0]).toContain("troupe.json is a directory");
});

test("a pipe in place of the file is reported, and does not block", async () => {
  await using directory = await temporaryDirectory();
  execFileSync("mkfifo", [join(directory.path, "troupe.json")]);

  const { code, err } = await troupe(directory.path, "run", "Go.");

  expect(code).toBe(2);
  expect(err[0]).toContain("troupe.json is no file");
});

test("a cycle of links is reported", async () => {
  await using directory = await temporaryDirectory();
  await symlink("troupe.json", join(directory.path, "troupe.json"));

  const { code, err } = await troupe(directory.path, "run", "Go.");

  expect(code).toBe(2);
  expect(err[0]).toContain("troupe.json cannot be read: ELOOP");
});

test("a problem in the user's own file is reported with its path", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "config", "troupe", "config.json");
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, '{"max-trns": 5}');

  const { code, err } = await troupe(directory.path, "run", "Go.");

  expect(code).toBe(2);
  expect(err).toEqual([
    `error: ${path}: "max-trns" is not a setting`,
    expect.stringContaining('Did you mean "max-turns"?'),
  ]);
});

test("the name of a setting cannot move the cursor", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "troupe.json"), '{"\\u001b[2J": 1}');

  const { err } = await troupe(directory.path, "run", "Go.");

  expect(err[0]).toContain("\\x1b[2J");
});
