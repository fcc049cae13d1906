import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  holdDirectory,
  makeDirectories,
  removeLeftovers,
} from "../../src/team/prepare-directory.ts";
import { teamLayout } from "../../src/team/team-layout.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

test("a team's directory is made, for its owner alone, and is ignored by git", async () => {
  await using root = await temporaryDirectory();
  const path = join(root.path, "new/.team");

  using held = await holdDirectory(path);
  await makeDirectories(teamLayout(held.to()));

  expect((await readdir(path)).sort()).toEqual([
    ...[".gitignore", "inbox", "requests", "tasks", "transcripts"],
  ]);
  expect(await readFile(join(path, ".gitignore"), "utf8")).toBe("*\n");
  for (const name of ["", "inbox", "requests", "tasks", "transcripts"]) {
    expect((await stat(join(path, name))).mode & 0o777).toBe(0o700);
  }
});

test("a place where no directory can be is refused, with a hint", async () => {
  await using root = await temporaryDirectory();
  const file = join(root.path, "file");
  await writeFile(file, "");
  const unusable = { code: "team-unusable", hint: expect.stringContaining("--team-dir") };

  await expect(holdDirectory(join(file, ".team"))).rejects.toMatchObject(unusable);
  await expect(holdDirectory(file)).rejects.toMatchObject(unusable);
  const team = join(root.path, ".team");
  await mkdir(team);
  await writeFile(join(team, "inbox"), "");
  await expect(makeDirectories(teamLayout(team))).rejects.toMatchObject(unusable);
});

test("a directory with something else in it is refused as it is, and any other error is itself", async () => {
  await using root = await temporaryDirectory();
  const path = join(root.path, "docs");
  await mkdir(path);
  await writeFile(join(path, "essay.md"), "…");

  await expect(holdDirectory(path)).rejects.toMatchObject({
    message: expect.stringContaining("essay.md"),
  });
  expect(await readdir(path)).toEqual(["essay.md"]);
  await expect(holdDirectory(join(root.path, "x".repeat(300)))).rejects.toMatchObject({
    code: "ENAMETOOLONG",
  });
});

test("what a dead lead was about to write is removed, and nothing else", async () => {
  await using root = await temporaryDirectory();
  const layout = teamLayout(root.path);
  await makeDirectories(layout);
  const folders = [root.path, layout.inbox, layout.transcripts, layout.tasks, layout.requests];
  const before = await Promise.all(folders.map((path) => readdir(path)));
  const leftover = `config.json.${randomUUID()}.tmp`;
  for (const path of folders) await writeFile(join(path, leftover), "half");

  await removeLeftovers(layout);

  expect(await Promise.all(folders.map((path) => readdir(path)))).toEqual(before);
});
