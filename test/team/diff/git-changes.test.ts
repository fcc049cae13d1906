import { execFile } from "node:child_process";
import { mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { workspaceDiff } from "../../../src/team/diff/workspace-diff.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { PromptedTeam } from "../../support/prompted-team.ts";
import { gitEnvironment, gitIn, makeRepository, writeFiles } from "../../support/repository.ts";
import { viewTeam } from "../../support/team.ts";

const megabyte = 1024 * 1024;

async function diffOf(root: string, options: { workspace?: string; path?: string } = {}) {
  return workspaceDiff(viewTeam(root), { workspace: root, env: gitEnvironment, ...options });
}

async function reasonsOf(root: string) {
  const { files } = await diffOf(root);
  return files.map(({ path, change, reason }) => [path, change, reason]);
}

test("in a part of a repository, paths are those of the workspace, and nothing outside is shown", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), {
    ...{ "a.txt": "a\n", "part/b.txt": "b\n", "part/deep/c.txt": "c\n" },
  });
  await writeFiles(root, { "a.txt": "1\n", "part/b.txt": "2\n", "part/deep/c.txt": "3\n" });
  const part = join(root, "part");

  const all = await diffOf(part);
  const deep = await diffOf(part, { path: "deep" });

  expect(all.files.map(({ path, texts }) => [path, texts?.before])).toEqual([
    ["b.txt", "b\n"],
    ["deep/c.txt", "c\n"],
  ]);
  expect(deep.files.map(({ path }) => path)).toEqual(["deep/c.txt"]);
});

test("the team's own directory is not among the changes", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  await writeFiles(root, { ".team/config.json": "{}\n", ".teams": "not the team's\n" });

  expect(await reasonsOf(root)).toEqual([[".teams", "added", undefined]]);
});

test("a path in the workspace may look like one outside, and one outside is refused however it is written", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  await writeFiles(root, { "..name": "x\n" });

  const { files } = await diffOf(root, { path: "..name" });

  expect(files.map(({ path }) => path)).toEqual(["..name"]);
  for (const path of ["..", "../other", directory.path, "/"]) {
    await expect(diffOf(root, { path })).rejects.toMatchObject({ code: "path-refused" });
  }
});

test("a file of which git has no content, another repository, and what was a link are only named", async () => {
  await using directory = await temporaryDirectory();
  const root = join(directory.path, "work");
  await mkdir(root);
  await symlink("a.txt", join(root, "link"));
  await makeRepository(root, { "a.txt": "a\n", "lost.txt": "lost\n" });
  const object = await gitIn(root, "rev-parse", "HEAD:lost.txt");
  await rm(join(root, ".git/objects", object.slice(0, 2), object.slice(2)));
  await rm(join(root, "link"));
  await writeFiles(root, {
    link: "a\n",
    "a.txt": "b\n",
    "lost.txt": "found\n",
    "staged.txt": "s\n",
  });
  await gitIn(root, "add", "staged.txt");
  await makeRepository(join(root, "other"));

  expect(await reasonsOf(root)).toEqual([
    ["a.txt", "changed", undefined],
    ["link", "changed", "a link"],
    ["lost.txt", "changed", "its content is missing"],
    ["other", "changed", "another repository"],
    ["staged.txt", "added", undefined],
  ]);
});

test("a directory or a pipe in the place of a file is named, and not waited for", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), {
    ...{ directory: "x\n", pipe: "x\n", "deep/gone.txt": "x\n" },
  });
  for (const name of ["directory", "pipe", "deep"]) await rm(join(root, name), { recursive: true });
  await mkdir(join(root, "directory"));
  await promisify(execFile)("mkfifo", [join(root, "pipe")]);
  await writeFile(join(root, "deep"), "now a file\n");

  expect(await reasonsOf(root)).toEqual([
    ["deep", "added", undefined],
    ["deep/gone.txt", "removed", undefined],
    ["directory", "changed", "not a regular file"],
    ["pipe", "changed", "not a regular file"],
  ]);
});

test("files of more than 1 MiB are only named, whether they are that large now or were", async () => {
  await using directory = await temporaryDirectory();
  const [limit, beyond] = ["x".repeat(megabyte), "x".repeat(megabyte + 1)];
  const root = await makeRepository(join(directory.path, "work"), {
    ...{ "large.txt": limit, "larger.txt": beyond, "grown.txt": "x" },
  });
  for (const name of ["large.txt", "larger.txt"]) await rm(join(root, name));
  await writeFiles(root, { "grown.txt": beyond, "new.txt": limit });

  expect(await reasonsOf(root)).toEqual([
    ["grown.txt", "changed", "too large to show"],
    ["large.txt", "removed", undefined],
    ["larger.txt", "removed", "too large to show"],
    ["new.txt", "added", undefined],
  ]);
});

test("beyond 16 MiB together, files are only named: what they are, and what they were", async () => {
  await using directory = await temporaryDirectory();
  const names = Array.from({ length: 17 }, (_, index) => `${index}.txt`);
  const large = (name: string) => name.padEnd(megabyte);
  const files = Object.fromEntries(names.map((name) => [name, large(name)]));
  const before = await makeRepository(join(directory.path, "before"), files);
  for (const name of names) await rm(join(before, name));
  const after = await makeRepository(join(directory.path, "after"), {});
  await writeFiles(after, files);

  const [gone, fresh] = [await reasonsOf(before), await reasonsOf(after)];

  const named = (found: (string | undefined)[][]) => found.flatMap(([, , reason]) => reason ?? []);
  expect(named(gone)).toEqual(["too large to show"]);
  expect(named(fresh)).toEqual(["there is too much to show"]);
});

test("of very many files the first 500 are shown, and the others counted", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const names = Array.from({ length: 502 }, (_, index) => `${index}.txt`);
  await writeFiles(root, Object.fromEntries(names.map((name) => [name, ""])));

  const { files, more, notes } = await diffOf(root);

  expect([files.length, more, notes]).toEqual([500, 2, []]);
});

/** Each makes git fail in its own way. */
const failures: Record<string, (root: string) => Promise<void>> = {
  "a damaged configuration": (root) => writeFile(join(root, ".git/config"), "[core\n"),
  "a damaged index": (root) => writeFile(join(root, ".git/index"), "damaged"),
  "a damaged index before the first commit": async (root) => {
    await rm(join(root, ".git/refs/heads"), { recursive: true });
    await mkdir(join(root, ".git/refs/heads"));
    await writeFile(join(root, ".git/index"), "damaged");
  },
};

test.each(Object.keys(failures))(
  "with %s, what the team has changed is shown, and why it is no more",
  async (name) => {
    await using directory = await temporaryDirectory();
    const team = await PromptedTeam.make(directory.path);
    await makeRepository(team.root);
    await team.prompt("Write.");
    await team.change({ "b.txt": "b\n" });
    await failures[name]?.(team.root);

    const diff = await workspaceDiff(team.view, { workspace: team.root, env: gitEnvironment });

    expect(diff.since).toMatchObject({ type: "prompt", text: "Write." });
    expect(diff.files.map(({ path }) => path)).toEqual(["b.txt"]);
    expect(diff.notes).toEqual([
      expect.stringMatching(/^Git failed: .*(?:config|index)/),
      expect.stringContaining("Changes made by commands are not shown"),
    ]);
  },
);

test("a directory in which git keeps its own files has no changes", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const inside = join(root, ".git");
  expect(await readdir(inside)).toContain("HEAD");

  const { since, notes } = await diffOf(directory.path, { workspace: inside });

  expect(since.type).toBe("nothing");
  expect(notes).toEqual([expect.stringMatching(/have not prompted this team/)]);
});
