import { symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { Scene } from "../workspace/fixture.ts";

const project = {
  "a.ts": "one\nneedle here\r\nthree\n",
  "src/b.ts": "no\n",
  "src/c.js": "a needle\nanother needle\n",
  ".gitignore": "node_modules\n*.log\n",
  "node_modules/dep/index.ts": "needle\n",
  "debug.log": "needle\n",
  ".git/HEAD": "needle\n",
  ".team/inbox/lead.jsonl": "needle\n",
};

test("every matching line is reported with its position", async () => {
  await using scene = await Scene.open(project);
  const member = await scene.member();

  expect(await member.text("grep", { pattern: "needle" })).toBe(
    "a.ts:2:needle here\nsrc/c.js:1:a needle\nsrc/c.js:2:another needle",
  );
});

test.each([
  [{ path: "src" }, ["src/c.js:1:a needle", "src/c.js:2:another needle"]],
  [{ path: "a.ts" }, ["a.ts:2:needle here"]],
  [{ path: "a.ts", glob: "*.js" }, ["No matches"]],
  [{ glob: "*.ts" }, ["a.ts:2:needle here"]],
  [{ glob: "**/*" }, ["a.ts:2:needle here", "src/c.js:1:a needle", "src/c.js:2:another needle"]],
  [{ glob: "*.log" }, ["No matches"]],
  [{ path: "node_modules/dep" }, ["node_modules/dep/index.ts:1:needle"]],
  [{ path: "debug.log" }, ["debug.log:1:needle"]],
  [{ path: ".team/inbox" }, [".team/inbox/lead.jsonl:1:needle"]],
])("%j narrows the search", async (where, found) => {
  await using scene = await Scene.open(project);
  const member = await scene.member();

  const text = await member.text("grep", { pattern: "needle", ...where });

  expect(text.split("\n")).toEqual(found);
});

test("the pattern is a regular expression, and never an option", async () => {
  await using scene = await Scene.open({ "a.txt": "--files\nfoo42\n" });
  const member = await scene.member();

  expect(await member.text("grep", { pattern: "^fo+\\d{2}$" })).toBe("a.txt:2:foo42");
  expect(await member.text("grep", { pattern: "--files" })).toBe("a.txt:1:--files");
  expect(await member.text("grep", { pattern: "--pre=touch" })).toBe("No matches");
});

test.each([
  ["a NUL in the pattern", { pattern: "a\0b" }, "pattern: A NUL byte cannot be searched for"],
  ["a NUL in the glob", { pattern: "a", glob: "\0" }, "glob: A NUL byte cannot be searched for"],
  ["a NUL in the path", { pattern: "a", path: "a\0" }, "The path contains a NUL. Leave it out."],
  ["a long pattern", { pattern: "x".repeat(200_000) }, "pattern: More than 10000 characters"],
  ["a long glob", { pattern: "a", glob: "x".repeat(200_000) }, "glob: More than 10000 characters"],
  ["a long path", { pattern: "a", path: "x".repeat(200_000) }, "path has more than 4096 bytes"],
])("%s is refused with the reason", async (_, input, told) => {
  await using scene = await Scene.open({ "a.txt": "text" });
  const member = await scene.member();

  expect(await member.call("grep", input)).toMatchObject({
    isError: true,
    text: expect.stringContaining(told),
  });
});

test("a bad pattern is an error with the reason", async () => {
  await using scene = await Scene.open({ "a.txt": "text" });
  const member = await scene.member();

  const output = await member.call("grep", { pattern: "a(b" });

  expect(output.isError).toBe(true);
  expect(output.text).toMatch(/^Error: regex parse error:[\s\S]*unclosed group/);
});

test("long lines are cut, binary files skipped, odd names and bytes survive", async () => {
  await using scene = await Scene.open({
    "long.js": `x\n${"ü".repeat(100_000)}needle${"y".repeat(100_000)}\n`,
    bin: Buffer.from("needle\n\0\0needle\n"),
    "a b:c.txt": "needle\n",
    "latin.txt": Buffer.from("needle caf\xe9\n", "latin1"),
  });
  const member = await scene.member();

  expect((await member.text("grep", { pattern: "needle" })).split("\n")).toEqual([
    "a b:c.txt:1:needle",
    "latin.txt:1:needle caf\uFFFD",
    `long.js:2:${"ü".repeat(500)} ...`,
  ]);
});

test("P25 many matches are cut, with the number of the rest or an estimate", async () => {
  await using scene = await Scene.open({
    "few.txt": `needle ${"x".repeat(90)}\n`.repeat(1000),
    "many/many.txt": "needle\n".repeat(200_000),
  });
  const member = await scene.member();

  const few = await member.text("grep", { pattern: "needle", path: "few.txt" });
  const many = await member.text("grep", { pattern: "needle", path: "many" });

  const fewLines = few.split("\n");
  expect(few.length).toBeLessThanOrEqual(50_000);
  expect(fewLines.at(-1)).toBe(`... (${1000 - fewLines.length + 1} more)`);
  expect(many.length).toBeLessThanOrEqual(50_000);
  expect(many.split("\n").at(-1)).toBe("... (more than 10000 more)");
});

test("a glob that matches thousands of files is searched completely, and in order", async () => {
  const directory = "d".repeat(200);
  const names = Array.from({ length: 2500 }, (_, index) => `${directory}/${10_000 + index}.txt`);
  const last = names.at(-1) ?? "";
  const files = Object.fromEntries(names.map((name) => [name, "hay\n"]));
  await using scene = await Scene.open({ ...files, [last]: "needle\n" });
  const member = await scene.member();

  expect(await member.text("grep", { pattern: "needle", glob: "*.txt" })).toBe(`${last}:1:needle`);
});

test("links are not followed", async () => {
  await using scene = await Scene.open({
    "../outside/secret.txt": "needle\n",
    "a.txt": "needle\n",
  });
  await symlink("../outside", scene.path("out"));
  await symlink("../outside/secret.txt", scene.path("secret.txt"));
  const member = await scene.member();

  expect(await member.text("grep", { pattern: "needle" })).toBe("a.txt:1:needle");
  expect(await member.text("grep", { pattern: "needle", path: "out" })).toContain(
    "outside the workspace",
  );
});
