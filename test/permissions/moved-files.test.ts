import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { allow, ask, deny, judgeLine, project } from "./judge-lines.ts";

async function put(root: string, ...files: readonly string[]): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), "text\n");
  }
}

test.each([
  ["mv ci build/ci", "ci/.husky/pre-commit"],
  ["cp -r ci build/ci", "ci/deep/.vscode/tasks.json"],
  ["cp -r ci/. build", "ci/.github/workflows/x.yml"],
  ["mv ci .github", "ci/workflows/x.yml"],
  ["mv ci .vscode", "ci/tasks.json"],
  ["cp -r ci build/hooks", "ci/pre-commit"],
])("%s needs approval when it brings %s", async (line, file) => {
  await using workspace = await project();
  await put(workspace.root, file);

  const { decision } = await judgeLine(workspace.permissions({ mode: "acceptEdits" }), line);

  expect(decision).toBe("ask");
});

test("copying a folder that contains a link needs approval, since some systems copy its target", async () => {
  await using workspace = await project();
  const permissions = workspace.permissions({ mode: "acceptEdits" });
  const before = await judgeLine(permissions, "cp -r src/lib build/lib");

  await symlink("clock.ts", join(workspace.root, "src/lib/link.ts"));
  const after = await judgeLine(permissions, "cp -r src/lib build/lib");

  expect(before.decision).toBe("allow");
  expect(after.decision).toBe("ask");
});

test("moving a folder that is too large to search needs approval", async () => {
  await using workspace = await project();
  await put(workspace.root, ...Array.from({ length: 2_001 }, (_, index) => `many/${index}`));

  const { decision } = await judgeLine(
    workspace.permissions({ mode: "acceptEdits" }),
    "mv many build/many",
  );

  expect(decision).toBe("ask");
});

test.each([
  "mv src/lib build/lib",
  "mv src/lib build/lib && cat src/a.ts",
  "mv src/a.ts src/c.ts && cat src/c.ts",
  "cp -r src/lib build/lib && ls src",
  "mkdir -p build/x && mv src/lib build/x",
  "sed -i 's/foo/bar/' src/a.ts",
  "head -1 README.md | tee build/name.txt",
  "cp README.md .github/README.md",
])("if edits are accepted, %s is free too", async (line) => {
  await using workspace = await project();

  const { decision } = await judgeLine(workspace.permissions({ mode: "acceptEdits" }), line);

  expect(decision).toBe("allow");
});

test.each([
  ["tee build/x < src/a.ts", "edit_file(build/**)"],
  ["sed -i s/a/b/ src/a.ts", "edit_file(src/**)"],
  ["mkdir -p src/new && touch src/new/a.ts", "edit_file(src/**)"],
])("%s is covered by %s, and by no weaker rule", async (line, rule) => {
  await using workspace = await project();

  const without = await judgeLine(workspace.permissions(), line);
  const covered = await judgeLine(workspace.permissions({ rules: allow(rule) }), line);

  expect(without.decision).toBe("ask");
  expect(covered.decision).toBe("allow");
});

const readers = ["grep -r text .", "rg text", "git log -p", "git show HEAD:.env", "git grep text"];

test.each(readers)("%s is free until a rule hides a file it may show", async (line) => {
  await using workspace = await project();

  const free = await judgeLine(workspace.permissions(), line);
  const denied = await judgeLine(workspace.permissions({ rules: deny("read_file(.env)") }), line);
  const asked = await judgeLine(workspace.permissions({ rules: ask("read_file(.env)") }), line);
  const bypassed = await judgeLine(
    workspace.permissions({ mode: "bypassPermissions", rules: deny("read_file(.env)") }),
    line,
  );

  expect(free.decision).toBe("allow");
  expect(denied.decision).toBe("ask");
  expect(asked.decision).toBe("ask");
  expect(bypassed.decision).toBe("deny");
});

test.each([
  "grep -rn text src",
  "rg text src",
  "git status",
  "git log --oneline",
  "git diff --stat",
  "grep -l text README.md",
  "ls -R",
])("a rule that hides a file leaves %s free, which cannot show it", async (line) => {
  await using workspace = await project();

  const { decision } = await judgeLine(
    workspace.permissions({ rules: deny("read_file(.env)") }),
    line,
  );

  expect(decision).toBe("allow");
});

test.each(["-P", "-d"])(
  "a link that is copied with %s may lead elsewhere from there",
  async (option) => {
    await using workspace = await project();
    await symlink("..", join(workspace.root, "src/lib/up"));
    const permissions = workspace.permissions({ mode: "acceptEdits" });

    const read = await judgeLine(
      permissions,
      `cp ${option} src/lib/up up && cat up/outside/secret.txt`,
    );
    const write = await judgeLine(
      permissions,
      `cp ${option} src/lib/up up && echo x > up/outside/new`,
    );

    expect([read.decision, write.decision]).toEqual(["ask", "ask"]);
  },
);
