import { mkdir, symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { Scene } from "../workspace/fixture.ts";

const project = {
  "a.ts": "",
  "src/b.ts": "",
  "src/c.js": "",
  ".github/ci.yml": "",
  ".gitignore": "node_modules\n*.log\n",
  "node_modules/dep/index.ts": "",
  "debug.log": "",
  ".git/HEAD": "",
  ".team/config.json": "",
};

test("files are listed by path, from the member's directory", async () => {
  await using scene = await Scene.open(project);
  const member = await scene.member();
  const inSource = await scene.member({ cwd: "src" });

  expect(await member.text("glob", { pattern: "**/*.ts" })).toBe("a.ts\nsrc/b.ts");
  expect(await member.text("glob", { pattern: "*.ts", path: "src" })).toBe("src/b.ts");
  expect(await inSource.text("glob", { pattern: "*.ts", path: ".." })).toBe("../a.ts\nb.ts");
});

test.each(["*", "**", "**/*"])(
  "%s lists no ignored files, nor .git, nor .team",
  async (pattern) => {
    await using scene = await Scene.open(project);
    const member = await scene.member();

    expect((await member.text("glob", { pattern })).split("\n")).toEqual([
      ".github/ci.yml",
      ".gitignore",
      "a.ts",
      "src/b.ts",
      "src/c.js",
    ]);
  },
);

test("a team directory of another name is skipped, unless it is named", async () => {
  await using scene = await Scene.open({ "a.txt": "", "my [team]/config.json": "" });
  const member = await scene.member({ teamDirectory: scene.path("my [team]") });

  expect(await member.text("glob", { pattern: "*" })).toBe("a.txt");
  expect(await member.text("glob", { pattern: "*", path: "my [team]" })).toBe(
    "my [team]/config.json",
  );
});

test("links are not followed", async () => {
  await using scene = await Scene.open({ "src/b.ts": "" });
  await symlink("src", scene.path("link"));
  await symlink("/etc", scene.path("etc"));
  const member = await scene.member();

  expect(await member.text("glob", { pattern: "**" })).toBe("src/b.ts");
});

test("P25 a long list is cut, with the number of the rest", async () => {
  const files = Array.from({ length: 1200 }, (_, index) => [`${"n".repeat(60)}-${index}`, ""]);
  await using scene = await Scene.open(Object.fromEntries(files));
  const member = await scene.member();

  const text = await member.text("glob", { pattern: "*" });
  const lines = text.split("\n");

  expect(text.length).toBeLessThanOrEqual(50_000);
  expect(lines.at(-1)).toBe(`... (${1200 - lines.length + 1} more)`);
});

test("no matches and missing directories are reported", async () => {
  await using scene = await Scene.open({ "a.ts": "" });
  await mkdir(scene.path("empty"));
  const member = await scene.member();

  expect(await member.text("glob", { pattern: "*.md" })).toBe("No matches");
  expect(await member.text("glob", { pattern: "*", path: "empty" })).toBe("No matches");
  expect(await member.text("glob", { pattern: "*", path: "no" })).toBe("Error: no does not exist.");
  expect(await member.text("glob", { pattern: "*", path: "a.ts" })).toContain("is a file");
});

test("a search that is stopped says so", async () => {
  await using scene = await Scene.open(project);
  const member = await scene.member();

  const output = await member.call("glob", { pattern: "*" }, AbortSignal.abort());

  expect(output).toEqual({ text: "Error: The search was stopped.", isError: true });
});
