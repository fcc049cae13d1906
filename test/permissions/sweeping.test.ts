import { expect, test } from "vitest";
import { allow, ask, deny, judgeLine, project } from "./judge-lines.ts";

const folders = "it would change whole folders, the team's own records among them";
const records = "it would write into the team's own records";
const unknown = "it has an argument that is not known";
const troupe = "it would run troupe";

// What is allowed by a rule for all commands, and why the rest of it is asked about nevertheless.
test.each([
  ["rm -rf .", records],
  ["rm -rf ..", "it would reach the team's keys"],
  ["rm -rf src", undefined],
  ["touch ..", undefined],
  ["cd src && find -delete", undefined],
  ["cd src && git clean -xfd", undefined],
  ["rm .env", undefined],
  ["chmod -R 700 .", records],
  ["chmod --recursive 700 .", records],
  ["chmod 700 .", undefined],
  ["chgrp -R x .", folders],
  ["find . -delete", folders],
  ["find src -delete", undefined],
  ["find . -name '*.ts' -delete", folders],
  ["find . -exec rm {} ';'", folders],
  ["find -exec rm {} ';'", folders],
  ["find . -name '*.ts' -exec sed -i s/a/b/ {} +", undefined],
  ["fd -H x -x rm", folders],
  ["fd x -x rm", undefined],
  ["fd -H x src -x rm", undefined],
  ["rsync -a --delete src/ .", folders],
  ["rsync -a src/ .", undefined],
  ["rsync -a --delete . build", undefined],
  ["git clean -xfd", folders],
  ["git clean -fd", undefined],
  ["git clean -xfd src", undefined],
  ["git ls-files | xargs rm", unknown],
  ["git ls-files --others | xargs rm", folders],
  ["git ls-files -o | xargs rm", folders],
  ["git ls-files | sort | xargs rm", unknown],
  ["git ls-files | head | xargs rm", unknown],
  ["git ls-files | tail | xargs rm", unknown],
  ["git ls-files | uniq | xargs rm", unknown],
  ["git ls-files | sort README.md | xargs rm", folders],
  ["git ls-files | xargs", undefined],
  ["git grep -l x | xargs rm", unknown],
  ["git grep x | xargs rm", folders],
  ["find . | xargs rm", folders],
  ["find src | xargs rm", unknown],
  ["find src -printf x | xargs rm", folders],
  ["grep -rl x src | xargs rm", unknown],
  ["grep -r x src | xargs rm", folders],
  ["grep -rl x . | xargs rm", folders],
  ["rg -l x src | xargs rm", unknown],
  ["rg x src | xargs rm", folders],
  ["ls | xargs rm", folders],
  ["find .team/tasks | xargs rm", folders],
  ["touch troupe", undefined],
  ["rm src/troupe", undefined],
  ["troupe run x", troupe],
  ["npx troupe run", troupe],
  ["node dist/cli/main.js", undefined],
  ["echo x > /proc/self/fd/1", "it would write through /proc"],
  ["cat .team/config.json", undefined],
  ["cd .team && ls", undefined],
  ["cd .team && npm test", records],
  ["mv x .team/y", records],
  ["echo x > .team/config.json", records],
])("P20 if a rule allows all commands, %j needs approval because %j", async (line, reason) => {
  await using it = await project();

  const verdict = await judgeLine(it.permissions({ rules: allow("bash") }), line);

  expect(verdict.decision).toBe(reason ? "ask" : "allow");
  if (reason) expect(verdict.reason).toContain(reason);
});

test.each([
  [deny("read_file(.env)"), "grep -r x .", "ask", "it may show files that deny read_file(.env)"],
  [deny("edit_file(.env)"), "ls", "allow", "it only reads"],
  [ask("edit_file(src/**)"), "touch src/x", "ask", "the rule ask edit_file(src/**)"],
  [allow("edit_file(src/**)"), "touch src/x", "allow", "rules allow it"],
  [allow("edit_file(src/**)"), "touch src/x README.md", "ask", "it runs touch src/x README.md"],
  [deny("edit_file(src/a.ts)"), "echo x > src/a.ts", "deny", "the rule deny edit_file(src/a.ts)"],
  [allow("bash(cp:*)"), "cp x ../outside/y", "ask", "../outside/y is outside the workspace"],
  [allow("bash(cp:*)"), "cat < ../outside/secret.txt", "ask", "is outside the workspace"],
])("under the rules %j, %j is judged %s: %s", async (rules, line, decision, reason) => {
  await using it = await project();

  const verdict = await judgeLine(it.permissions({ rules }), line);

  expect(verdict).toMatchObject({ decision, reason: expect.stringContaining(reason) });
});

test.each([
  ["npm test", "bash(npm test:*)"],
  ["npm run x", "bash(npm run x:*)"],
  ["npm", undefined],
  ["npm --silent run x", undefined],
  ["npm test && npm run x", undefined],
  ["touch a && touch b", "bash(touch:*)"],
  ["ls && touch a", "bash(touch:*)"],
  ["git push", "bash(git push:*)"],
  ["npx vitest run", "bash(npx vitest:*)"],
  ["rm a", "bash(rm a)"],
  ["rm 'a b'", undefined],
  ["rmdir a", "bash(rmdir a)"],
  ["chmod 700 src", "bash(chmod 700 src)"],
  ["chown x src", "bash(chown x src)"],
  ["truncate -s 0 a", "bash(truncate -s 0 a)"],
  ["ln README.md b", "bash(ln README.md b)"],
  ["make", undefined],
  ["make x", "bash(make x:*)"],
  ["docker run x", "bash(docker run x:*)"],
  ["$X", undefined],
])("for %j the rule %j is suggested, and would allow it", async (line, rule) => {
  await using it = await project();

  const verdict = await judgeLine(it.permissions(), line);

  expect(verdict).toMatchObject({ decision: "ask", isReadOnly: false });
  expect(verdict.suggestedRule).toBe(rule);
  if (rule === undefined) return;
  const ruled = await judgeLine(it.permissions({ rules: allow(rule) }), line);
  expect(ruled).toMatchObject({ decision: "allow", reason: "rules allow it" });
});

test.each([
  ["touch x", "it runs touch x"],
  ["$X", "it runs …"],
  ["git init -q", "it runs git init -q"],
  ["git log --exec x", "git log --exec has --exec"],
  ["git", "git has no subcommand"],
  ["rm 'x", "cannot be judged"],
])("in plan mode, %j is refused, and the reason says what it does: %s", async (line, reason) => {
  await using it = await project();

  const verdict = await judgeLine(it.permissions({ mode: "plan" }), line);

  expect(verdict).toMatchObject({ decision: "deny", reason: expect.stringContaining(reason) });
});

test.each([
  ["src/a.ts", "default", "allow"],
  ["src/a.ts", "plan", "deny"],
  ["README.md", "default", "ask"],
  ["README.md", "acceptEdits", "allow"],
  ["../outside/secret.txt", "acceptEdits", "ask"],
  [".team/config.json", "acceptEdits", "deny"],
] as const)("writing %s in mode %s: %s", async (path, mode, decision) => {
  await using it = await project();
  // A rule about other files, or about reading, says nothing of this one.
  const rules = [...ask("read_file(README.md)"), ...deny("edit_file(test/**)")];
  const permissions = it.permissions({ mode, rules: [...rules, ...allow("edit_file(src/**)")] });

  const verdict = await permissions.judge({ tool: "write_file", action: { type: "write", path } });

  expect(verdict.decision).toBe(decision);
});

test("a rule for reading outside the workspace covers reads of a command there, not writes", async () => {
  await using it = await project();
  const rules = [...allow(`read_file(${it.outside}/**)`), ...allow("bash(cp:*)")];
  const judge = (line: string) => judgeLine(it.permissions({ rules }), line);

  expect(await judge("cat ../outside/secret.txt")).toMatchObject({ decision: "allow" });
  expect(await judge("cat < ../outside/secret.txt")).toMatchObject({ decision: "allow" });
  expect(await judge("cp ../outside/secret.txt .")).toMatchObject({ decision: "allow" });
  expect(await judge("cp README.md ../outside/y")).toMatchObject({ decision: "ask" });
});

test.each(["default", "acceptEdits", "bypassPermissions", "plan"] as const)(
  "in mode %s, what a rule denies to be read is denied",
  async (mode) => {
    await using it = await project();
    const permissions = it.permissions({ mode, rules: deny("read_file(.env)") });
    const action = { type: "read", path: ".env" } as const;

    expect(await permissions.judge({ tool: "read_file", action })).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("deny read_file(.env)"),
      isReadOnly: true,
    });
  },
);
