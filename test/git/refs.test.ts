import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { moveRef, readRef } from "../../src/git/refs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { gitIn, makeRepository, openGit } from "../support/repository.ts";

const ref = "refs/troupe/team/base/alice";

async function openThreeCommits(directory: string) {
  const root = await makeRepository(join(directory, "work"));
  const commits: string[] = [await gitIn(root, "rev-parse", "HEAD")];
  for (const name of ["second", "third"]) {
    await gitIn(root, "commit", "-q", "--allow-empty", "-m", name);
    commits.push(await gitIn(root, "rev-parse", "HEAD"));
  }
  const [first = "", second = "", third = ""] = commits;
  return { root, git: await openGit(root), first, second, third };
}

test("a ref moves only from where it was expected", async () => {
  await using directory = await temporaryDirectory();
  const { git, first, second, third } = await openThreeCommits(directory.path);

  expect(await moveRef(git, { ref, from: undefined, to: first })).toBe(true);
  expect(await moveRef(git, { ref, from: second, to: third })).toBe(false);
  expect(await moveRef(git, { ref, from: undefined, to: third })).toBe(false);
  expect(await readRef(git, ref)).toBe(first);
  expect(await moveRef(git, { ref, from: first, to: second })).toBe(true);
  expect(await readRef(git, ref)).toBe(second);
});

test("a move that was done already succeeds again", async () => {
  await using directory = await temporaryDirectory();
  const { git, first, second } = await openThreeCommits(directory.path);
  await moveRef(git, { ref, from: undefined, to: first });
  await moveRef(git, { ref, from: first, to: second });

  expect(await moveRef(git, { ref, from: first, to: second })).toBe(true);
});

test("a ref that cannot be written is an error", async () => {
  await using directory = await temporaryDirectory();
  const { root, git, first } = await openThreeCommits(directory.path);
  await writeFile(join(root, ".git/refs/troupe"), "not a directory");

  await expect(moveRef(git, { ref, from: undefined, to: first })).rejects.toMatchObject({
    code: "git-failed",
  });
});
