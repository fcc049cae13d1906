import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findRepository, requireRepository } from "../../src/git/repository.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { gitIn, makeRepository, openGit, writeFiles } from "../support/repository.ts";

async function found(root: string) {
  return findRepository(await openGit(root));
}

test("a repository is found from a directory in it", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { "deep/down/a": "a\n" });

  expect(await found(join(root, "deep/down"))).toEqual({
    ...{ type: "usable", top: root, gitDirectory: join(root, ".git") },
    ...{ commonDirectory: join(root, ".git"), branch: "refs/heads/main" },
    ...{ head: await gitIn(root, "rev-parse", "HEAD"), isShallow: false, objectFormat: "sha1" },
  });
});

test("a linked worktree has the objects of its main repository", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const linked = join(root, "../linked");
  await gitIn(root, "worktree", "add", "-q", linked);

  expect(await found(linked)).toMatchObject({
    ...{ type: "usable", top: linked, gitDirectory: join(root, ".git/worktrees/linked") },
    ...{ commonDirectory: join(root, ".git"), branch: "refs/heads/linked" },
  });
});

test("a detached HEAD has no branch, and a shallow repository is known as one", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  await gitIn(root, "commit", "-q", "--allow-empty", "-m", "second");
  const shallow = join(root, "../shallow");
  await gitIn(root, "clone", "-q", "--depth", "1", `file://${root}`, shallow);
  await gitIn(shallow, "checkout", "-q", "--detach");

  expect(await found(shallow)).toMatchObject({ branch: undefined, isShallow: true });
});

test("where there is no repository, none is found", async () => {
  await using directory = await temporaryDirectory();

  expect(await found(directory.path)).toEqual({ type: "none" });
  await expect(requireRepository(await openGit(directory.path))).rejects.toMatchObject({
    code: "repository-unusable",
    message: "There is no git repository here",
  });
});

test.each([
  ["bare", ["init", "-q", "--bare"], "The repository is bare: it has no files"],
  ["without a commit", ["init", "-q"], "The repository has no commit yet"],
])("a repository that is %s is refused", async (_, words, problem) => {
  await using directory = await temporaryDirectory();
  const root = join(directory.path, "work");
  await mkdir(root);
  await gitIn(root, ...words);

  expect(await found(root)).toMatchObject({ type: "unusable", problem });
  await expect(requireRepository(await openGit(root))).rejects.toMatchObject({
    ...{ code: "repository-unusable", message: problem, hint: expect.stringMatching(/\.$/) },
  });
});

test("a repository that git does not understand is refused with what git says", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  await writeFiles(root, { ".git/config": "[core\n" });

  expect(await found(root)).toMatchObject({
    problem: expect.stringContaining("bad config line 1 in file"),
  });
});
