import { join } from "node:path";
import { expect, test } from "vitest";
import { mergeTrees } from "../../src/git/merge.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { gitIn, makeRepository, openGit, writeFiles } from "../support/repository.ts";

/** Two branches with the files of each changed. */
async function makeBranches(
  directory: string,
  changes: Record<"ours" | "theirs", Record<string, string>>,
) {
  const root = await makeRepository(join(directory, "work"), {
    ...{ "a.txt": "a\n\n\n\nz\n", "b.txt": "b\n", ".gitattributes": "a.txt merge=own\n" },
  });
  for (const side of ["ours", "theirs"] as const) {
    await gitIn(root, "checkout", "-q", "-b", side, "main");
    await writeFiles(root, changes[side]);
    await gitIn(root, "add", "-A");
    await gitIn(root, "commit", "-q", "-m", side);
  }
  return root;
}

test("two commits are merged without any files", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeBranches(directory.path, {
    ours: { "a.txt": "ours\n\n\n\nz\n" },
    theirs: { "a.txt": "a\n\n\n\ntheirs\n", "c.txt": "c\n" },
  });
  // In its place git's own merge is used.
  await gitIn(root, "config", "merge.own.driver", "false");

  const merged = await mergeTrees(await openGit(root), ["ours", "theirs"]);

  expect(merged.type).toBe("merged");
  const tree = merged.type === "merged" ? merged.tree : "";
  expect(await gitIn(root, "show", `${tree}:a.txt`)).toBe("ours\n\n\n\ntheirs");
  expect(await gitIn(root, "show", `${tree}:c.txt`)).toBe("c");
});

test("files that cannot be merged are named", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeBranches(directory.path, {
    ours: { "a.txt": "ours\n", "b.txt": "ours\n", "same.txt": "x\n" },
    theirs: { "a.txt": "theirs\n", "b.txt": "theirs\n" },
  });
  await gitIn(root, "config", "merge.own.driver", "true");

  const merged = await mergeTrees(await openGit(root), ["ours", "theirs"]);

  expect(merged).toMatchObject({ type: "conflict", files: ["a.txt", "b.txt"] });
  expect(merged.type === "conflict" && merged.explanation).toContain("Merge conflict in b.txt");
});

test("what is no commit is an error", async () => {
  await using directory = await temporaryDirectory();
  const git = await openGit(await makeRepository(join(directory.path, "work")));

  await expect(mergeTrees(git, ["HEAD", "missing"])).rejects.toMatchObject({ code: "git-failed" });
});
