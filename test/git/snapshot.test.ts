import { chmod, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type SnapshotOptions, takeSnapshot } from "../../src/git/snapshot.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { gitIn, makeRepository, makeTrap, openGit, writeFiles } from "../support/repository.ts";

async function snapshotOf(root: string, options: Partial<SnapshotOptions> = {}) {
  return takeSnapshot(await openGit(root), {
    ...{ workTree: root, index: join(root, ".git/temporary"), like: join(root, ".git/index") },
    ...{ parents: ["HEAD"], message: "All of it" },
    author: { name: "Ann", email: "ann@example.com", at: new Date("2026-01-01T00:00:00Z") },
    ...options,
  });
}

/** Each file of a commit, with its mode. */
async function filesIn(root: string, commit: string): Promise<string[]> {
  const listed = await gitIn(root, "ls-tree", "-r", commit);
  return listed.split("\n").map((line) => line.replace(/^(\d+) .*\t/, "$1 "));
}

test("a snapshot has all files that are not ignored, and changes nothing else", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), {
    ...{ changed: "1\n", gone: "1\n", moved: "x\ny\n", script: "#!\n", ".gitignore": "ignored\n" },
  });
  await writeFiles(root, { changed: "2\n", "new/file": "n\n", staged: "s\n", ignored: "i\n" });
  await writeFiles(root, { "binary\nname": Buffer.from([0, 1, 2]), crlf: "a\r\n" });
  await gitIn(root, "add", "staged");
  await rm(join(root, "gone"));
  await chmod(join(root, "script"), 0o755);
  await symlink("/etc/passwd", join(root, "link"));
  const before = [await readFile(join(root, ".git/index")), await gitIn(root, "for-each-ref")];

  const commit = await snapshotOf(root);

  expect(await filesIn(root, commit)).toEqual([
    ...["100644 .gitignore", '100644 "binary\\nname"', "100644 changed", "100644 crlf"],
    ...["120000 link", "100644 moved", "100644 new/file", "100755 script", "100644 staged"],
  ]);
  expect(await gitIn(root, "cat-file", "-p", commit)).toContain("\nAll of it");
  expect(await gitIn(root, "rev-parse", `${commit}^`)).toBe(await gitIn(root, "rev-parse", "HEAD"));
  const after = [await readFile(join(root, ".git/index")), await gitIn(root, "for-each-ref")];
  expect(after).toEqual(before);
  expect(await readdir(join(root, ".git"))).not.toContain("temporary");
});

test("the snapshot of unchanged files is the commit that they are of", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));

  expect(await snapshotOf(root, { parents: [await gitIn(root, "rev-parse", "HEAD")] })).toBe(
    await gitIn(root, "rev-parse", "HEAD"),
  );
});

test("a snapshot can be taken without an index to begin with", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { a: "1\n", b: "1\n" });
  await rm(join(root, ".git/index"));
  await rm(join(root, "a"));

  expect(await filesIn(root, await snapshotOf(root))).toEqual(["100644 b"]);
});

test("paths that are named are left out", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { a: "1\n" });
  await writeFiles(root, { "modules/x": "x\n", b: "b\n" });

  const commit = await snapshotOf(root, { without: ["modules", "missing"] });

  expect(await filesIn(root, commit)).toEqual(["100644 a", "100644 b"]);
});

test("in a sparse checkout the files that are not there stay", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), {
    "in/a": "a\n",
    "out/b": "b\n",
  });
  await gitIn(root, "sparse-checkout", "set", "in");
  await writeFiles(root, { "in/c": "c\n", "elsewhere/d": "d\n" });

  expect(await filesIn(root, await snapshotOf(root))).toEqual([
    ...["100644 elsewhere/d", "100644 in/a", "100644 in/c", "100644 out/b"],
  ]);
});

test("in the middle of a merge the files are taken as they are", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { a: "1\n" });
  await gitIn(root, "checkout", "-q", "-b", "other");
  await writeFiles(root, { a: "other\n" });
  await gitIn(root, "commit", "-q", "-a", "-m", "other");
  await gitIn(root, "checkout", "-q", "main");
  await writeFiles(root, { a: "main\n" });
  await gitIn(root, "commit", "-q", "-a", "-m", "main");
  await gitIn(root, "merge", "other").catch(() => undefined);

  const commit = await snapshotOf(root);

  expect(await gitIn(root, "show", `${commit}:a`)).toContain("<<<<<<< HEAD\nmain\n");
  expect(await gitIn(root, "ls-files", "-u")).not.toBe("");
});

test("an index whose lock was left behind is no obstacle, and no temporary file stays", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  await writeFiles(root, { ".git/index.lock": "", "b.txt": "b\n" });
  await mkdir(join(root, "nested/.git"), { recursive: true });

  expect(await filesIn(root, await snapshotOf(root))).toEqual(["100644 a.txt", "100644 b.txt"]);
  expect(await readdir(join(root, ".git"))).not.toContain("temporary.lock");
});

test("files in repositories of others are taken like all files, and nothing of those is asked", async () => {
  await using directory = await temporaryDirectory();
  const { script, mark } = await makeTrap(join(directory.path, "trap"));
  const root = await makeRepository(join(directory.path, "work"), { ".gitignore": "*.log\n" });
  for (const name of ["unborn", "other"]) await gitIn(root, "init", "-q", name);
  await writeFiles(root, {
    "unborn/a": "a\n",
    "other/:(top)": "c\n",
    "other/deep/b": "b\n",
    "other/x.log": "x\n",
  });
  await gitIn(join(root, "other"), "add", "-A");
  await gitIn(join(root, "other"), "commit", "-q", "-m", "theirs");
  await gitIn(join(root, "other"), "config", "core.fsmonitor", script);

  expect(await filesIn(root, await snapshotOf(root))).toEqual([
    ...["100644 .gitignore", "100644 other/:(top)", "100644 other/deep/b", "100644 unborn/a"],
  ]);
  await expect(readFile(mark)).rejects.toThrow("ENOENT");
});

test("a submodule stays as the parent has it, and is not asked", async () => {
  await using directory = await temporaryDirectory();
  const { script, mark } = await makeTrap(join(directory.path, "trap"));
  const part = await makeRepository(join(directory.path, "part"));
  const root = await makeRepository(join(directory.path, "work"));
  await gitIn(root, "submodule", "add", "-q", part, "sub");
  await gitIn(root, "submodule", "add", "-q", part, "gone");
  await gitIn(root, "commit", "-q", "-m", "with a part");
  const sub = join(root, "sub");
  await gitIn(sub, "config", "filter.bad.clean", script);
  await writeFiles(sub, { ".gitattributes": "* filter=bad\n", "a.txt": "b\n" });
  await rm(join(root, "gone"), { recursive: true });

  const commit = await snapshotOf(root);

  const link = await gitIn(root, "rev-parse", "HEAD:sub");
  expect(await filesIn(root, commit)).toEqual(["100644 .gitmodules", "100644 a.txt", "160000 sub"]);
  expect(await gitIn(root, "rev-parse", `${commit}:sub`)).toBe(link);
  await expect(readFile(mark)).rejects.toThrow("ENOENT");
  await gitIn(root, "add", "-A").catch(() => undefined);
  expect(await readFile(mark, "utf8")).toContain("trap");
});

test("P27 a change within the second of the last look that leaves the size as it is, is seen", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { "a.txt": "1\n" });
  const [file, index] = [join(root, "a.txt"), join(root, ".git/index")];
  const second = new Date("2026-01-01T00:00:00Z");
  // Its time of change cannot be set.
  await gitIn(root, "config", "core.trustctime", "false");
  await utimes(file, second, second);
  await gitIn(root, "update-index", "--refresh");
  await writeFile(file, "2\n");
  for (const path of [file, index]) await utimes(path, second, second);

  const commit = await snapshotOf(root);

  expect(await gitIn(root, "show", `${commit}:a.txt`)).toBe("2");
});
