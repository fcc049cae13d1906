import { chmod, lstat, mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { alice, CheckoutBench } from "../support/checkouts.ts";
import { pictureOf } from "../support/landings.ts";
import { gitIn, writeFiles } from "../support/repository.ts";

test("P26 a checkout is a repository of its own, at the commit that is checked out", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path, { "a.txt": "a\n", "sub/b.txt": "b\n" });
  await writeFiles(bench.root, { "a.txt": "the person's\n", "untracked.txt": "u\n" });
  const before = await pictureOf(bench.root);

  const { checkout, cwd } = await bench.make();

  const { path } = checkout;
  const head = await gitIn(bench.root, "rev-parse", "HEAD");
  expect(checkout).toEqual({ path: cwd, base: head, target: "troupe/default" });
  expect(path.startsWith(join(directory.path, "checkouts", "alice-"))).toBe(true);
  expect((await readdir(path)).sort()).toEqual([".git", "a.txt", "sub"]);
  expect(await readFile(join(path, "a.txt"), "utf8")).toBe("a\n");
  expect(await gitIn(path, "status", "--porcelain", "--branch")).toBe("## troupe/alice");
  expect(await gitIn(path, "rev-parse", "HEAD")).toBe(head);
  expect((await lstat(join(path, ".git"))).isDirectory()).toBe(true);
  expect(await pictureOf(bench.root)).toEqual(before);
  expect(await bench.checkouts.list()).toMatchObject([
    { id: alice, state: "ready", path, base: head, branch: "troupe/alice", earlier: [] },
  ]);
});

test("P27 what a checkout has is kept in the person's repository, and once", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path, {
    ...{ "a.txt": "a\n", "gone.txt": "g\n", ".gitignore": "*.log\n" },
  });
  const { checkout } = await bench.make();
  const { path } = checkout;
  expect(await bench.checkouts.keep(alice)).toBeUndefined();
  await writeFiles(path, { "mine.txt": "m\n" });
  await gitIn(path, "add", "-A");
  await gitIn(path, "commit", "-q", "-m", "alice's own");
  const own = await gitIn(path, "rev-parse", "HEAD");
  await gitIn(path, "rm", "-q", "gone.txt");
  await writeFiles(path, { "a.txt": "changed\n", "new.txt": "n\n", "x.log": "ignored\n" });
  const before = await pictureOf(bench.root);

  const kept = await bench.checkouts.keep(alice);
  const again = await bench.checkouts.keep(alice);

  expect(kept).toMatchObject({ base: checkout.base, target: "troupe/default" });
  expect(again).toBeUndefined();
  expect(await bench.checkouts.latest(alice)).toEqual(kept);
  const { ref = "", commit = "" } = kept ?? {};
  expect(await gitIn(bench.root, "rev-parse", ref)).toBe(commit);
  expect(ref).toMatch(/^refs\/troupe\/[-0-9a-f]{36}\/alice\/1$/);
  expect((await gitIn(bench.root, "ls-tree", "--name-only", commit)).split("\n")).toEqual([
    ...[".gitignore", "a.txt", "mine.txt", "new.txt"],
  ]);
  expect(await gitIn(bench.root, "show", `${commit}:a.txt`)).toBe("changed");
  expect(await gitIn(bench.root, "rev-parse", `${commit}^`)).toBe(own);
  expect(await pictureOf(bench.root)).toEqual(before);
  expect(await gitIn(bench.root, "fsck", "--no-dangling")).toBe("");
});

test.each([
  ["is a link", /is a symbolic link/, (path: string, other: string) => symlink(other, path)],
  [
    "can be written by others",
    /Other users can write/,
    async (path: string) => {
      await mkdir(path);
      await chmod(path, 0o777);
    },
  ],
])("P36 no checkout is made where the directory of checkouts %s", async (_, problem, make) => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path);
  const elsewhere = join(directory.path, "elsewhere");
  await mkdir(elsewhere, { mode: 0o755 });
  await make(bench.directory, elsewhere);

  await expect(bench.make()).rejects.toThrow(problem);

  expect(await readdir(elsewhere)).toEqual([]);
  expect((await stat(elsewhere)).mode & 0o777).toBe(0o755);
  expect(await readdir(bench.directory)).toEqual([]);
});
