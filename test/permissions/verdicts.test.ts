import { expect, test } from "vitest";
import { commandEnvironment } from "../../src/permissions/command-environment.ts";
import { unusualKey } from "../../src/permissions/git-configuration.ts";
import { coversPlace, parseRule } from "../../src/permissions/rule.ts";
import { allow, deny, judgeLine, project } from "./judge-lines.ts";

test.each(["ls; $(", "ls 'x", "cat README.md; if", "cat README.md\nfi"])(
  "an unreadable line is not read-only, whatever its beginning does: %j",
  async (line) => {
    await using it = await project();

    expect(await judgeLine(it.permissions(), line)).toMatchObject({
      decision: "ask",
      isReadOnly: false,
    });
    expect(await judgeLine(it.permissions({ mode: "plan" }), line)).toMatchObject({
      decision: "deny",
      isReadOnly: false,
    });
  },
);

test("calls that only coordinate are read-only, denied or not", async () => {
  await using it = await project();
  const call = { tool: "send_message", action: { type: "coordinate" } } as const;

  expect(await it.permissions().judge(call)).toMatchObject({ decision: "allow", isReadOnly: true });
  expect(await it.permissions({ rules: deny("send_message") }).judge(call)).toMatchObject({
    decision: "deny",
    isReadOnly: true,
  });
});

test("a reason names the first three words of a command", async () => {
  await using it = await project();

  const { reason } = await judgeLine(it.permissions(), "npm run build --flag more and more");

  expect(reason).toBe("it runs npm run build");
});

test("P25 a reason is short, for words of any length", async () => {
  await using it = await project();

  const { reason } = await judgeLine(it.permissions(), `npm run ${"x".repeat(5_000)}`);

  expect(reason).toHaveLength("it runs ".length + 200);
});

test.each([
  ["echo x > notes.txt", "edit_file(notes.txt)"],
  ["echo x > ../outside/notes.txt", undefined],
  ["npm run build --watch", "bash(npm run build:*)"],
  ["rm -rf build", "bash(rm -rf build)"],
  ["python3 -c 'print(1)'", undefined],
  ["cat ../outside/secret.txt", undefined],
])("%j suggests the rule %j", async (line, rule) => {
  await using it = await project();

  const verdict = await judgeLine(it.permissions(), line);

  expect(verdict.decision).toBe("ask");
  expect(verdict).toHaveProperty("isReadOnly");
  expect("suggestedRule" in verdict ? verdict.suggestedRule : undefined).toBe(rule);
});

test.each(["ls src | xargs -I{} {}", "ls src | xargs -I% %", "find . -exec {} ';'"])(
  "a line that runs files it finds needs approval, even if a rule allows all of its programs: %s",
  async (line) => {
    await using it = await project();
    const rules = allow("bash(ls:*)", "bash(xargs:*)", "bash(find:*)");

    expect(await judgeLine(it.permissions({ rules }), line)).toMatchObject({
      decision: "ask",
      reason: expect.stringContaining("it runs the files it finds"),
    });
  },
);

test("space around a path in a rule is not part of the path", () => {
  const rule = parseRule("allow", "edit_file( src/** )");

  const place = { real: "/project/src/a.ts", isInside: true, relative: "src/a.ts" };
  expect(coversPlace(rule, "writing", place)).toBe(true);
});

test.each([
  ["[core]\n\trepositoryformatversion = 0", undefined],
  ["[CORE]\n\tRepositoryFormatVersion = 0\n\tBARE = false", undefined],
  ["# nothing\n; at all\n\n[core]", undefined],
  ["[core] bare = false", undefined],
  ["[core]\n\tfsmonitor = ./p.sh", "core.fsmonitor"],
  ["[Core]\n\tFsMonitor = ./p.sh", "core.FsMonitor"],
  ["[core]\n\tbare = fal\\\nse", "core.bare"],
  ["[alias]\n\tst = !./p.sh", "alias.st"],
  ['[remote "origin"]\n\turl = ext::sh -c ./p.sh', "remote.url"],
  ["[core]\n\t= 1", "core.= 1"],
  ["[constructor]\n\ta = b", "constructor.a"],
])("the configuration %j has the unusual key %j", (configuration, key) => {
  expect(unusualKey(configuration)).toBe(key);
});

test("git is configured to take no lock, show no pager, ask no questions and fetch nothing", () => {
  const environment = commandEnvironment({});
  const { GIT_CONFIG_COUNT: count, ...rest } = environment;
  const settings = Array.from({ length: Number(count) }, (_, index) => [
    rest[`GIT_CONFIG_KEY_${index}`],
    rest[`GIT_CONFIG_VALUE_${index}`],
  ]);

  expect(rest).toMatchObject({
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
  });
  expect(settings).toEqual([
    ["core.fsmonitor", "false"],
    ["core.pager", "cat"],
    ["diff.autoRefreshIndex", "false"],
    ["gc.autoDetach", "false"],
    ["maintenance.autoDetach", "false"],
  ]);
});
