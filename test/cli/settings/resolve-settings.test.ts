import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { teamSettings } from "../../../src/cli/settings/resolve-settings.ts";
import { withDefaults } from "../../../src/cli/settings/settings.ts";
import { configured } from "./configured.ts";

test("without files and flags the defaults apply", async () => {
  await using it = await configured();

  const settings = await it.resolve();

  expect(settings).toMatchObject(withDefaults({}));
  expect(settings.pending).toBeUndefined();
  expect([...settings.origins]).toEqual([]);
});

test("flags override the environment, which overrides troupe.json, which overrides the user's file", async () => {
  await using it = await configured({ user: { model: "openai/user" } });
  const models = [(await it.resolve()).model];
  await it.write("workspace", { model: "openai/workspace" });
  await it.trust();
  models.push((await it.resolve()).model);
  models.push((await it.resolve({}, { MODEL_ID: "id" })).model);
  models.push((await it.resolve({}, { MODEL_ID: "id", TROUPE_MODEL: "openai/variable" })).model);
  models.push((await it.resolve({ model: "openai/flag" }, { TROUPE_MODEL: "openai/x" })).model);

  expect(models).toEqual([
    "openai/user",
    "openai/workspace",
    "anthropic/id",
    "openai/variable",
    "openai/flag",
  ]);
});

test("the origin of each setting is known", async () => {
  await using it = await configured({
    user: { "max-cost": 9, timeout: 9 },
    workspace: { timeout: 5 },
  });

  const { origins } = await it.resolve({ "max-turns": "3" }, { TROUPE_MODEL: "openai/x" });

  expect(Object.fromEntries(origins)).toEqual({
    model: "TROUPE_MODEL",
    "max-turns": "--max-turns",
    "max-cost": it.paths.user,
    timeout: it.paths.workspace,
  });
});

test("models of all sources are combined, and of one id those of troupe.json apply", async () => {
  const entry = (tokens: number) => ({ "max-output": tokens });
  await using it = await configured({
    user: { models: { a: entry(1), b: entry(2) }, "max-output": 100 },
    workspace: { models: { b: entry(3), c: entry(4) } },
  });
  expect(Object.keys((await it.resolve()).models)).toEqual(["a", "b"]);

  await it.trust();
  const { models, "max-output": limit } = await it.resolve({ "max-output": "64000" });

  expect(models).toMatchObject({ a: { maxOutput: 1 }, b: { maxOutput: 3 }, c: { maxOutput: 4 } });
  expect(limit).toBe(64_000);
});

test("rules from all sources are combined", async () => {
  await using it = await configured({
    user: { allow: ["bash(ls)"], deny: ["bash(rm:*)"] },
    workspace: { ask: ["bash(git push:*)"], deny: ["read_file(.env)"] },
  });

  const settings = await it.resolve({ allow: ["bash(pwd)"], ask: ["write_file"] });

  expect(settings.allow).toEqual(["bash(pwd)", "bash(ls)"]);
  expect(settings.ask).toEqual(["write_file", "bash(git push:*)"]);
  expect(settings.deny).toEqual(["read_file(.env)", "bash(rm:*)"]);
});

test("a flag overrides a stricter troupe.json, which overrides a looser user's file", async () => {
  await using it = await configured({
    user: { "permission-mode": "acceptEdits", "max-cost": 9 },
    workspace: { "permission-mode": "plan", "max-cost": 5 },
  });

  expect(await it.resolve()).toMatchObject({ "permission-mode": "plan", "max-cost": 5 });
  const flags = { "permission-mode": "bypassPermissions", "max-cost": "20" };
  expect(await it.resolve(flags)).toMatchObject({ ...flags, "max-cost": 20 });
});

test("--cwd decides which troupe.json is used", async () => {
  await using it = await configured({ workspace: { "max-turns": 7 } });
  await mkdir(join(it.root, "sub"));
  await writeFile(join(it.root, "sub", "troupe.json"), '{ "max-turns": 8 }');

  expect((await it.resolve({ cwd: "sub" }))["max-turns"]).toBe(8);
  expect((await it.resolve({ cwd: join(it.root, "sub") }))["max-turns"]).toBe(8);
  await mkdir(join(it.root, "empty"));
  expect((await it.resolve({ cwd: "empty" }))["max-turns"]).toBe(200);
});

test("--cwd must be a directory", async () => {
  await using it = await configured();
  await writeFile(join(it.root, "file"), "");

  for (const cwd of ["missing", "file", "file/below"]) {
    await expect(it.resolve({ cwd })).rejects.toMatchObject({ code: "usage-wrong" });
  }
});

test("a relative XDG_CONFIG_HOME is ignored", async () => {
  await using it = await configured({ user: { "max-turns": 7 } });
  await mkdir(join(it.root, ".config", "troupe"), { recursive: true });
  await writeFile(join(it.root, ".config", "troupe", "config.json"), '{ "max-turns": 8 }');

  expect((await it.resolve({}, { XDG_CONFIG_HOME: "config" }))["max-turns"]).toBe(8);
});

test.each([
  ["max-turns", "1.5"],
  ["max-turns", "0"],
  ["max-turns", "1e999"],
  ["max-cost", "-1"],
  ["max-cost", " "],
  ["timeout", "soon"],
  ["timeout", "1000001"],
  ["background-wait", "-1"],
  ["plan-approval", "me"],
  ["approvals", "allow"],
  ["permission-mode", "yolo"],
])("--%s %j is wrong usage with the allowed values", async (name, value) => {
  await using it = await configured();

  await expect(it.resolve({ [name]: value })).rejects.toMatchObject({
    code: "usage-wrong",
    message: expect.stringMatching(new RegExp(`^--${name} is .*, but must be `)),
  });
});

test("variables of --env-file count as environment, and variables already set win", async () => {
  await using it = await configured();
  await writeFile(
    join(it.root, "keys.env"),
    "# keys\nexport ANTHROPIC_API_KEY='from the file'\nTROUPE_MODEL=openai/file\nOPENAI_API_KEY=file\n",
  );

  const settings = await it.resolve({ "env-file": "keys.env" }, { OPENAI_API_KEY: "set" });

  expect(settings.model).toBe("openai/file");
  expect(settings.env).toMatchObject({
    ANTHROPIC_API_KEY: "from the file",
    OPENAI_API_KEY: "set",
  });
});

test(".env is not read automatically", async () => {
  await using it = await configured();
  await writeFile(join(it.root, ".env"), "TROUPE_MODEL=openai/file\n");

  expect((await it.resolve()).model).toBeUndefined();
  expect((await it.resolve({ "env-file": ".env" })).model).toBe("openai/file");
});

test.each([
  ["missing", async () => undefined],
  ["a directory", (path: string) => mkdir(path)],
])("an --env-file that is %s is reported with its path", async (_, make) => {
  await using it = await configured();
  await make(join(it.root, "keys.env"));

  await expect(it.resolve({ "env-file": "keys.env" })).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining(join(it.root, "keys.env")),
  });
});

test("checkouts are as the settings say, with paths from the workspace and from home", async () => {
  await using it = await configured({
    user: { isolation: "worktree", "checkouts-dir": "~/rooms", "checkout.link": ["node_modules"] },
  });

  const { checkouts } = teamSettings(
    await it.resolve(
      { "checkout.setup": "npm ci", base: "working", target: "next" },
      { HOME: it.root },
    ),
  );

  expect(checkouts).toEqual({
    isolation: "checkout",
    base: "working",
    link: ["node_modules"],
    setup: "npm ci",
    directory: join(it.root, "rooms"),
    target: "next",
    keepDays: 7,
  });
  await expect(it.resolve({ isolation: "none" })).rejects.toThrow(
    '--isolation is "none", but must be shared or checkout',
  );
  await expect(it.resolve({ "checkout.link": ["../x"] })).rejects.toThrow(
    "--checkout.link is a list, but must be a list of paths in the repository",
  );
});
