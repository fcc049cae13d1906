import { execFile } from "node:child_process";
import { access, chmod, mkdir, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { workspaceDiff } from "../../../src/team/diff/workspace-diff.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { viewTeam } from "../../support/team.ts";

const execute = promisify(execFile);
const env = { PATH: process.env.PATH, HOME: "/nowhere" };

async function git(root: string, ...words: string[]) {
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  return (await execute("git", ["-C", root, ...author, ...words], { env })).stdout;
}

/** A repository in a directory of its own, with one commit of `files`. */
async function repository(directory: string, files: Record<string, string | Buffer>) {
  const root = join(await realpath(directory), "work");
  await mkdir(root);
  await git(root, "init", "-q");
  for (const [name, content] of Object.entries(files)) await writeFile(join(root, name), content);
  await git(root, "add", "-A");
  await git(root, "commit", "-q", "--allow-empty", "-m", "first");
  return root;
}

function diffOf(root: string, options: { workspace?: string; path?: string } = {}) {
  return workspaceDiff(viewTeam(root), { workspace: root, env, ...options });
}

test("the files that differ from the last commit are shown with their lines, and new ones", async () => {
  await using directory = await temporaryDirectory();
  const root = await repository(directory.path, {
    ...{ changed: "one\ntwo\nthree\n", gone: "a\nb\n", same: "same\n", staged: "old\n" },
    ".gitignore": "ignored\n",
  });
  await writeFile(join(root, "changed"), "one\n2\nthree\nfour\n");
  await rm(join(root, "gone"));
  await writeFile(join(root, "staged"), "new\n");
  await git(root, "add", "staged");
  await writeFile(join(root, "fresh"), "x\ny");
  await writeFile(join(root, "ignored"), "x\n");
  // Touched, and with the same content.
  await utimes(join(root, "same"), 1, 1);

  const diff = await diffOf(root);

  expect(diff).toMatchObject({ since: { type: "commit" }, more: 0, notes: [] });
  expect(
    diff.files.map(({ path, change, added, removed }) => [path, change, added, removed]),
  ).toEqual([
    ["changed", "changed", 2, 1],
    ["fresh", "added", 2, 0],
    ["gone", "removed", 0, 2],
    ["staged", "changed", 1, 1],
  ]);
  expect(diff.files[0]?.texts).toEqual({
    ...{ before: "one\ntwo\nthree\n", after: "one\n2\nthree\nfour\n" },
  });
});

test("binary, very large and odd files are only named", async () => {
  await using directory = await temporaryDirectory();
  const root = await repository(directory.path, { image: Buffer.from([1, 0, 2]), link: "text" });
  await writeFile(join(root, "image"), Buffer.from([1, 0, 3]));
  await writeFile(join(root, "huge"), "x".repeat(1024 * 1024 + 1));
  await rm(join(root, "link"));
  await symlink("/etc/hostname", join(root, "link"));

  const { files } = await diffOf(root);

  expect(files.map(({ path, reason, texts }) => [path, reason, texts])).toEqual([
    ["huge", "too large to show", undefined],
    ["image", "binary", undefined],
    ["link", "a link", undefined],
  ]);
});

test("it is limited to a path in the workspace, which may be a part of the repository", async () => {
  await using directory = await temporaryDirectory();
  const root = await repository(directory.path, {});
  const inner = join(root, "inner");
  await mkdir(inner);
  for (const path of ["a", "inner/b", "inner/c*", "inner/cd"])
    await writeFile(join(root, path), "x\n");

  const inInner = await diffOf(inner, { workspace: inner });
  const one = await diffOf(inner, { workspace: inner, path: "c*" });

  expect(inInner.files.map(({ path }) => path)).toEqual(["b", "c*", "cd"]);
  expect(one.files.map(({ path }) => path)).toEqual(["c*"]);
  await expect(diffOf(inner, { workspace: inner, path: "../a" })).rejects.toThrow(
    /is not in the workspace/,
  );
});

test("a workspace that is not there is refused", async () => {
  await using directory = await temporaryDirectory();

  await expect(diffOf(join(directory.path, "none"))).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringMatching(/none is not a directory$/),
  });
});

test("before the first commit all files are new", async () => {
  await using directory = await temporaryDirectory();
  const root = await realpath(directory.path);
  await git(root, "init", "-q");
  await writeFile(join(root, "staged"), "x\n");
  await git(root, "add", "staged");
  await writeFile(join(root, "fresh"), "x\n");

  const { files } = await diffOf(root);

  expect(files.map(({ path, change }) => [path, change])).toEqual([
    ["fresh", "added"],
    ["staged", "added"],
  ]);
});

test("outside of git, without a team, nothing is known", async () => {
  await using directory = await temporaryDirectory();

  const diff = await diffOf(directory.path);

  expect(diff).toMatchObject({ since: { type: "nothing" }, files: [], more: 0 });
  expect(diff.notes).toEqual([expect.stringMatching(/have not prompted this team/)]);
});

/** Each makes some command of git that only reads run the program `evil`. */
const hostile: Record<string, (evil: string) => string> = {
  "core.fsmonitor": (evil) => `[core]\n\tfsmonitor = ${evil}\n`,
  "diff.external": (evil) => `[diff]\n\texternal = ${evil}\n`,
  "diff.x.textconv": (evil) => `[diff "x"]\n\ttextconv = ${evil}\n`,
  "diff.x.command": (evil) => `[diff "x"]\n\tcommand = ${evil}\n`,
  "filter.x.clean": (evil) => `[filter "x"]\n\tclean = ${evil}\n\trequired = true\n`,
  "filter.x.process": (evil) => `[filter "x"]\n\tprocess = ${evil}\n`,
  "filter.x.clean in an included file": () => "[include]\n\tpath = ../../included\n",
  "core.hooksPath": (evil) => `[core]\n\thooksPath = ${join(evil, "../hooks")}\n`,
  "a partial clone": (evil) =>
    `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[protocol]\n\tallow = always\n[remote "origin"]\n\tpromisor = true\n\turl = ${join(evil, "..")}\n\tuploadpack = ${evil}\n`,
};

/** A repository that runs `evil`, which leaves a mark, wherever git lets it. */
async function hostileRepository(directory: string, setting: string) {
  const root = await repository(directory, {
    "file.x": "one\n",
    ".gitattributes": "*.x filter=x diff=x\n",
  });
  const time = new Date("2026-11-15T00:00:00Z");
  await utimes(join(root, "file.x"), time, time);
  await git(root, "update-index", "--refresh");
  const evil = join(root, "../evil.sh");
  const mark = join(root, "../mark");
  await writeFile(evil, `#!/bin/sh\ntouch '${mark}'\ncat "$@" 2>/dev/null\nexit 0\n`);
  await chmod(evil, 0o755);
  await mkdir(join(root, "../hooks"));
  await symlink("../evil.sh", join(root, "../hooks/post-index-change"));
  await writeFile(join(root, "../included"), `[filter "x"]\n\tclean = ${evil}\n`);
  const trusting = "[core]\n\ttrustctime = false\n\tcheckStat = minimal\n";
  const configuration = `${trusting}${hostile[setting]?.(evil)}`;
  await writeFile(join(root, ".git/config"), configuration, { flag: "a" });
  if (setting === "a partial clone") {
    const object = (
      await git(root, "-c", "protocol.allow=never", "rev-parse", "HEAD:file.x")
    ).trim();
    await rm(join(root, ".git/objects", object.slice(0, 2), object.slice(2)), { force: true });
  }
  // As the index has it by time and size, and as old as the index: git has to look into it.
  await writeFile(join(root, "file.x"), "two\n");
  for (const name of ["file.x", ".git/index"]) await utimes(join(root, name), time, time);
  const isMarked = () =>
    access(mark).then(
      () => true,
      () => false,
    );
  return { root, isMarked };
}

test.each(Object.keys(hostile))("a repository with %s starts nothing", async (setting) => {
  await using directory = await temporaryDirectory();
  const { root, isMarked } = await hostileRepository(directory.path, setting);

  const { files, since } = await diffOf(root);

  expect(await isMarked()).toBe(false);
  expect(since.type).toBe("commit");
  expect(files.map(({ path }) => path)).toEqual(["file.x"]);
});

test.each(Object.keys(hostile))(
  "control: with %s git itself starts the program",
  async (setting) => {
    await using directory = await temporaryDirectory();
    const { root, isMarked } = await hostileRepository(directory.path, setting);

    for (const words of [["status"], ["diff"], ["cat-file", "-p", "HEAD:file.x"]]) {
      await git(root, ...words).catch(() => undefined);
    }

    expect(await isMarked()).toBe(true);
  },
);

test("a work tree elsewhere is not shown, and the person is told", async () => {
  await using directory = await temporaryDirectory();
  const root = await repository(directory.path, {});
  const elsewhere = join(directory.path, "elsewhere");
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, "private"), "x\n");
  await git(root, "config", "core.worktree", elsewhere);

  const diff = await diffOf(root);

  expect(diff.files).toEqual([]);
  expect(diff.notes).toContain(
    "Git uses another work tree than the one that contains the workspace.",
  );
});
