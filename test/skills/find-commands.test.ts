import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findCommands } from "../../src/skills/find-commands.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { publicFiles } from "./public-files.ts";
import { skillFile, writeFiles } from "./skill-files.ts";

async function found(
  files: Readonly<Record<string, string>>,
  prepare: (path: string) => Promise<unknown> = async () => undefined,
) {
  await using directory = await temporaryDirectory();
  const { path } = directory;
  await writeFiles(path, { "project/.git/HEAD": "", ...files });
  await prepare(path);
  const result = await findCommands({
    cwd: join(path, "project"),
    teamDirectory: join(path, ".team"),
    commands: [join(path, "home/own"), join(path, "home/.claude/commands")],
    skills: [join(path, "home/.claude/skills")],
  });
  const unused = result.unused.map((each) => `${each.path}: ${each.reason}`.replaceAll(path, "…"));
  return { ...result, unused, names: result.commands.map(({ name }) => name) };
}

test("commands are found in directories of directories, Troupe's own before others, then the person's", async () => {
  const { names, commands, unused } = await found({
    "project/.claude/commands/review.md": "other",
    "project/.troupe/commands/review.md": "own",
    "project/.claude/commands/frontend/fix/css.md": "css",
    "project/.claude/commands/README.txt": "no command",
    "home/own/mine.md": "mine",
    "home/.claude/commands/also.md": "also",
  });

  expect(names).toEqual(["also", "frontend:fix:css", "mine", "review"]);
  expect(commands.find(({ name }) => name === "review")?.description).toBe("own");
  expect(unused).toEqual([
    "…/project/.claude/commands/review.md: …/project/.troupe/commands/review.md has the same name, and is nearer",
  ]);
});

test("a skill that the person may call is a command; one that is only for members is none", async () => {
  const { names } = await found({
    "project/.claude/skills/deploy/SKILL.md": skillFile(
      "description: x\ndisable-model-invocation: true",
    ),
    "project/.claude/skills/style/SKILL.md": skillFile("description: x\nuser-invocable: false"),
  });

  expect(names).toEqual(["deploy"]);
});

test.each([
  ["an empty one", "", "it has no text"],
  ["one without a text", skillFile("description: x", ""), "it has no text"],
  ["broken front matter", "---\na: [\n---\nx", "its front matter is not valid YAML"],
  ["no text file", "\0", "is not a text file"],
])("%s is not used, and the others are", async (_, text, problem) => {
  const { names, unused } = await found({
    "project/.claude/commands/bad.md": text,
    "project/.claude/commands/good.md": "x",
  });

  expect(names).toEqual(["good"]);
  expect(unused).toEqual([expect.stringContaining(problem)]);
});

test("of a repository, no link out of it is read; a name that cannot be typed is told", async () => {
  const { names, unused } = await found(
    { "project/.claude/commands/two words.md": "x", "private/secret.md": "secret" },
    async (path) => {
      await symlink(
        join(path, "private/secret.md"),
        join(path, "project/.claude/commands/evil.md"),
      );
      await symlink(join(path, "private"), join(path, "project/.claude/commands/sub"));
    },
  );

  expect(names).toEqual([]);
  expect(unused).toEqual([
    expect.stringMatching(/evil\.md: .* outside the workspace/),
    expect.stringMatching(/two words\.md: its name cannot be typed/),
  ]);
});

test("P25 at most 500 commands are read", async () => {
  const many = Array.from({ length: 600 }, (_, index) => [
    `project/.claude/commands/c${index}.md`,
    "x",
  ]);

  const { commands, left } = await found(Object.fromEntries(many));

  expect({ read: commands.length, left }).toEqual({ read: 500, left: 100 });
});

test("files in the shapes of public collections are read, each field in force or named", async () => {
  const { names, unused, commands, skills } = await found(publicFiles);

  expect(unused).toEqual([]);
  expect(names).toEqual([
    ...["commit", "fix-issue", "frontend:component", "pr-review", "security-scan", "skill-creator"],
    ...["webapp-testing", "write-tests"],
  ]);
  expect(skills.map(({ name }) => name).sort()).toEqual([
    ...["brand-guidelines", "skill-creator", "webapp-testing"],
  ]);
  const ignored = [...skills, ...commands].filter((each) => each.ignored.length > 0);
  expect(Object.fromEntries(ignored.map(({ name, ignored }) => [name, ignored]))).toEqual({
    "pr-review": ["model (claude-3-5-haiku-20241022)"],
    "security-scan": ["model (opus)", "context", "agent"],
    "webapp-testing": ["model"],
  });
  expect(commands.find(({ name }) => name === "fix-issue")?.argumentHint).toBe(
    "[issue-number] [priority]",
  );
  expect(skills.find(({ name }) => name === "webapp-testing")?.suggestedTools).toEqual([
    ...["Bash(python:*)", "Read"],
  ]);
});
