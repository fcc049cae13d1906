import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { bring, landEdits } from "../../support/landed.ts";
import { pictureOf, target } from "../../support/landings.ts";
import { gitIn, makeRepository, openGit, writeFiles } from "../../support/repository.ts";

const lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

async function repositoryIn(
  path: string,
  files: Record<string, string> = { "a.txt": lines, "b.txt": "b\n" },
) {
  return await makeRepository(join(path, "work"), files);
}

test("landed work gets to the branch and its files, and everything of the person stays", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path, {
    ...{ "a.txt": lines, "b.txt": "b\n", "tool.sh": "#!/bin/sh\n", "old/only.txt": "old\n" },
    ...{ "file-then-directory": "f\n", "directory/then-file": "d\n", "mine.txt": "mine\n" },
  });
  const tip = await landEdits(root, {
    "a.txt": lines.replace("9", "nine"),
    "new/deep/c.txt": "c\n",
    "tool.sh": { mode: "100755", content: "#!/bin/sh\necho\n" },
    "old/only.txt": null,
    "a link": { mode: "120000", content: "a.txt" },
    "file-then-directory": null,
    "file-then-directory/x": "x\n",
    "directory/then-file": null,
    directory: "a file now\n",
  });
  await writeFiles(root, { "mine.txt": "changed\n", "b.txt": "staged\n", "untracked.txt": "u\n" });
  await gitIn(root, "add", "b.txt");
  const status = await gitIn(root, "status", "--porcelain");

  const brought = await bring(root);

  expect(brought).toMatchObject({ type: "brought", branch: "main", isMerge: false });
  expect(await gitIn(root, "rev-parse", "main")).toBe(tip);
  expect(await gitIn(root, "status", "--porcelain")).toBe(status);
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe(lines.replace("9", "nine"));
  expect(await readFile(join(root, "new/deep/c.txt"), "utf8")).toBe("c\n");
  expect((await lstat(join(root, "tool.sh"))).mode & 0o100).toBe(0o100);
  expect(await readlink(join(root, "a link"))).toBe("a.txt");
  expect(await readdir(root)).not.toContain("old");
  expect(await readFile(join(root, "mine.txt"), "utf8")).toBe("changed\n");
  expect(await gitIn(root, "log", "-1", "--format=%gs", "-g", "main")).toBe(
    `troupe land: ${target}`,
  );
  expect(await readdir(join(root, ".git"))).not.toContainEqual(expect.stringMatching(/troupe/));
  expect(await bring(root)).toMatchObject({ type: "nothing" });
});

test("where the branch has more than the target, the two are merged", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path);
  await landEdits(root, { "a.txt": lines.replace("9", "nine") });
  await writeFiles(root, { "a.txt": lines.replace("1", "one") });
  await gitIn(root, "commit", "-q", "-am", "mine");
  await gitIn(root, "config", "user.name", "Ann");
  await gitIn(root, "config", "user.email", "ann@example.com");

  expect(await bring(root)).toMatchObject({ type: "brought", isMerge: true, files: ["a.txt"] });

  const merged = lines.replace("1", "one").replace("9", "nine");
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe(merged);
  expect(await gitIn(root, "status", "--porcelain")).toBe("");
  expect(await gitIn(root, "log", "-1", "--format=%an %s")).toBe(
    `Ann Merge branch '${target}' into main`,
  );
});

test("files are written as git writes them: with the line ends that the repository asks for", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path, {
    ...{ ".gitattributes": "*.bat text eol=crlf\n", "run.bat": "a\nb\n" },
  });
  // As a person has it after a clone.
  await rm(join(root, "run.bat"));
  await gitIn(root, "checkout", "-q", "--", "run.bat");
  await landEdits(root, { "run.bat": "a\nc\n" });

  expect(await bring(root)).toMatchObject({ type: "brought" });

  expect(await readFile(join(root, "run.bat"), "utf8")).toBe("a\r\nc\r\n");
  expect(await gitIn(root, "status", "--porcelain")).toBe("");
});

const hindrances: Record<string, [(root: string) => Promise<unknown>, string, string]> = {
  "has changed": [
    (root) => appendFile(join(root, "a.txt"), "mine\n"),
    "a.txt",
    "you have changed it",
  ],
  "has removed": [(root) => rm(join(root, "a.txt")), "a.txt", "you have changed it"],
  "has made executable": [
    (root) => chmod(join(root, "a.txt"), 0o755),
    "a.txt",
    "you have changed it",
  ],
  "has staged": [
    async (root) => {
      await writeFiles(root, { "a.txt": "staged\n" });
      await gitIn(root, "add", "a.txt");
    },
    "a.txt",
    "you have staged it",
  ],
  "has a file of this name that git does not know": [
    (root) => writeFiles(root, { "new/c.txt": "mine\n" }),
    "new/c.txt",
    "git does not know it, and it is in the way",
  ],
  "has an ignored file of this name": [
    async (root) => {
      await writeFiles(root, { ".git/info/exclude": "new\n", "new/c.txt": "mine\n" });
    },
    "new/c.txt",
    "git does not know it, and it is in the way",
  ],
  "has a link in the place of a directory": [
    async (root) => {
      await mkdir(join(root, "..", "elsewhere"));
      await symlink(join(root, "..", "elsewhere"), join(root, "new"));
    },
    "new",
    "git does not know it, and it is in the way",
  ],
};

test.each(Object.keys(hindrances))(
  "nothing is brought where the person %s, and it is named",
  async (name) => {
    const [hinder, path, reason] = hindrances[name] ?? [];
    await using directory = await temporaryDirectory();
    const root = await repositoryIn(directory.path);
    const head = await gitIn(root, "rev-parse", "HEAD");
    await landEdits(root, { "a.txt": lines.replace("9", "nine"), "new/c.txt": "c\n" });
    await hinder?.(root);
    const before = await pictureOf(directory.path);

    const brought = await bring(root);

    expect(brought).toMatchObject({ type: "blocked", files: [{ path, reason }], written: 0 });
    expect(await pictureOf(directory.path)).toEqual(before);
    expect(await gitIn(root, "rev-parse", "HEAD")).toBe(head);
  },
);

test("a file that the person saves at the last moment stays, and the next try finds the others done", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path);
  const head = await gitIn(root, "rev-parse", "HEAD");
  await landEdits(root, { "a.txt": lines.replace("9", "nine"), "new/c.txt": "c\n" });
  const openLate = async (...given: Parameters<typeof openGit>) => {
    const git = await openGit(...given);
    return new Proxy(git, {
      get(whole, name) {
        const value: unknown = Reflect.get(whole, name, whole);
        if (name !== "text") return typeof value === "function" ? value.bind(whole) : value;
        return async (...run: Parameters<typeof git.text>) => {
          // All files have been compared.
          if (run[0][0] === "checkout-index") await appendFile(join(root, "a.txt"), "mine\n");
          return await whole.text(...run);
        };
      },
    });
  };

  const blocked = await bring(root, openLate);

  const files = [{ path: "a.txt", reason: "it was changed right now" }];
  expect(blocked).toMatchObject({ type: "blocked", files, written: 1 });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe(`${lines}mine\n`);
  expect(await gitIn(root, "rev-parse", "HEAD")).toBe(head);
  await gitIn(root, "checkout", "-q", "--", "a.txt");
  expect(await bring(root)).toMatchObject({ type: "brought" });
  expect(await gitIn(root, "status", "--porcelain")).toBe("");
});

test("a target that conflicts with the branch changes nothing, and the files are named", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path);
  await landEdits(root, { "a.txt": lines.replace("1", "eins") });
  await writeFiles(root, { "a.txt": lines.replace("1", "one") });
  await gitIn(root, "commit", "-q", "-am", "mine");
  const before = await pictureOf(root);

  expect(await bring(root)).toMatchObject({ type: "conflict", files: ["a.txt"] });

  expect(await pictureOf(root)).toEqual(before);
});

const refusals: Record<string, [(root: string) => Promise<unknown>, RegExp]> = {
  "with a detached HEAD": [
    (root) => gitIn(root, "checkout", "-q", "--detach"),
    /No branch is checked out/,
  ],
  "in the middle of a merge": [
    async (root) => {
      await gitIn(root, "checkout", "-q", "-b", "other");
      await writeFiles(root, { "b.txt": "other\n" });
      await gitIn(root, "commit", "-q", "-am", "other");
      await gitIn(root, "checkout", "-q", "main");
      await gitIn(root, "merge", "-q", "--no-ff", "--no-commit", "other");
    },
    /A merge is in progress/,
  ],
  "while another git works": [
    (root) => writeFiles(root, { ".git/index.lock": "" }),
    /Another git command is in progress/,
  ],
  "with a sparse checkout": [
    (root) => gitIn(root, "sparse-checkout", "set", "new"),
    /Only a part of the files is checked out/,
  ],
  "without the target": [
    (root) => gitIn(root, "branch", "-q", "-D", target),
    /There is no branch troupe\/default/,
  ],
};

test.each(Object.keys(refusals))("nothing is brought %s, and it is said why", async (name) => {
  const [arrange, message] = refusals[name] ?? [];
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path);
  await landEdits(root, { "a.txt": lines.replace("9", "nine") });
  await arrange?.(root);
  const before = await pictureOf(root);

  const failure = await bring(root).catch((error: unknown) => error);

  expect(failure).toMatchObject({ code: "landing-refused", hint: expect.stringMatching(/./) });
  expect(failure).toMatchObject({ message: expect.stringMatching(message ?? "") });
  expect(await pictureOf(root)).toEqual(before);
});

test.each([
  ["CHERRY_PICK_HEAD", "A cherry-pick"],
  ["REVERT_HEAD", "A revert"],
  ["rebase-merge/head-name", "A rebase"],
  ["rebase-apply/head-name", "A rebase"],
])("nothing is brought while git has %s, and it is named", async (file, name) => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path);
  await landEdits(root, { "a.txt": lines.replace("9", "nine") });
  await writeFiles(root, { [`.git/${file}`]: "" });

  await expect(bring(root)).rejects.toMatchObject({
    ...{ code: "landing-refused", message: `${name} is in progress in ${root}` },
    hint: expect.stringContaining(join(root, ".git", file.split("/")[0] ?? "")),
  });
});

test("a merge needs a name for its author, and without one nothing is changed", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path);
  await landEdits(root, { "a.txt": lines.replace("9", "nine") });
  await writeFiles(root, { "a.txt": lines.replace("1", "one") });
  await gitIn(root, "commit", "-q", "-am", "mine");
  await gitIn(root, "config", "user.useConfigOnly", "true");
  const before = await pictureOf(root);

  await expect(bring(root)).rejects.toMatchObject({
    ...{ code: "landing-refused", message: "Git does not know whose merge this is" },
  });

  expect(await pictureOf(root)).toEqual(before);
});

test("a directory goes with its last file, and stays where the person has something in it", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path, {
    ...{
      "kept/deep/a.txt": "a\n",
      "gone/deep/b.txt": "b\n",
      "half/b.txt": "b\n",
      "half/c.txt": "c\n",
    },
  });
  await landEdits(root, { "kept/deep/a.txt": null, "gone/deep/b.txt": null, "half/b.txt": null });
  await writeFiles(root, { "kept/mine.txt": "mine\n" });

  expect(await bring(root)).toMatchObject({ type: "brought" });

  expect(await readdir(join(root, "kept"))).toEqual(["mine.txt"]);
  expect(await readdir(join(root, "half"))).toEqual(["c.txt"]);
  expect(await readdir(root)).not.toContain("gone");
});

test("what the person has done already, by hand, is done", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path, { "a.txt": lines, "old.txt": "old\n" });
  await landEdits(root, { "a.txt": "new\n", "old.txt": null, "new/c.txt": "c\n" });
  await writeFiles(root, { "a.txt": "new\n", "new/c.txt": "c\n" });
  await rm(join(root, "old.txt"));
  const before = (await lstat(join(root, "a.txt"))).ino;

  expect(await bring(root)).toMatchObject({
    ...{ type: "brought", files: ["a.txt", "new/c.txt", "old.txt"] },
  });

  expect(await gitIn(root, "status", "--porcelain")).toBe("");
  expect((await lstat(join(root, "a.txt"))).ino).toBe(before);
});

test("what a killed process has left is removed, and nothing of one that runs", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path);
  await landEdits(root, { "a.txt": lines.replace("9", "nine") });
  // No process has such a number.
  const [dead, alive, another] = ["99999999-abc", `${process.pid}-abc`, "notes"].map(
    (end) => `troupe-land-${end}`,
  );
  for (const name of [dead, alive, another]) await mkdir(join(root, ".git", name ?? ""));

  await bring(root);

  const left = (await readdir(join(root, ".git"))).filter((name) => name.startsWith("troupe"));
  expect(left.sort()).toEqual([alive, another].sort());
});

test("files whose content a filter makes, as those of Git LFS, are left to git", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path, {
    ...{ ".gitattributes": "*.bin filter=lfs\n", "a.bin": "pointer\n" },
  });
  await landEdits(root, { "a.bin": "another pointer\n" });

  const reason = "the filter lfs makes its content";
  expect(await bring(root)).toMatchObject({ type: "blocked", files: [{ path: "a.bin", reason }] });
});

test("a submodule that landed is on the branch, and its directory is there", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path);
  const submodule = { mode: "160000", content: "1".repeat(40) } as const;
  await landEdits(root, { "libs/deep/sub": submodule, there: submodule });
  await mkdir(join(root, "there"));

  expect(await bring(root)).toMatchObject({ type: "brought", files: ["libs/deep/sub", "there"] });

  expect(await gitIn(root, "status", "--porcelain")).toBe("");
});

test("a submodule that takes the place of a file is left to git", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path, { sub: "a file\n" });
  await landEdits(root, { sub: { mode: "160000", content: "1".repeat(40) } });

  const reason = "a submodule takes the place of a file, or a file that of one";
  expect(await bring(root)).toMatchObject({ type: "blocked", files: [{ path: "sub", reason }] });
});

test("no hook, filter or monitor of the repository runs", async () => {
  await using directory = await temporaryDirectory();
  const root = await repositoryIn(directory.path);
  await landEdits(root, { "a.txt": lines.replace("9", "nine") });
  const mark = join(directory.path, "mark");
  const trap = `#!/bin/sh\necho "$0" >> '${mark}'\n`;
  for (const hook of [
    "post-checkout",
    "post-merge",
    "reference-transaction",
    "post-index-change",
  ]) {
    await writeFiles(root, { [`.git/hooks/${hook}`]: trap });
    await chmod(join(root, ".git/hooks", hook), 0o755);
  }
  await gitIn(root, "config", "core.fsmonitor", join(root, ".git/hooks/post-merge"));

  expect(await bring(root)).toMatchObject({ type: "brought" });

  await expect(lstat(mark)).rejects.toMatchObject({ code: "ENOENT" });
  // What a git does that the person starts.
  await gitIn(root, "update-ref", "refs/x", "HEAD");
  expect((await lstat(mark)).isFile()).toBe(true);
});
