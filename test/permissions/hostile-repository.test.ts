import { execFile } from "node:child_process";
import { access, chmod, mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { commandEnvironment } from "../../src/permissions/command-environment.ts";
import { gitConfigurationProblem, unusualKey } from "../../src/permissions/git-configuration.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { allow, judgeLine, project } from "./judge-lines.ts";

const run = promisify(execFile);

test.each([
  [["config"], true],
  [["commondir"], true],
  [["objects"], true],
  [[], false],
])("a folder with HEAD and %j may be a bare repository: %s", async (names, isOne) => {
  await using directory = await temporaryDirectory();
  const root = await realpath(directory.path);
  for (const name of ["HEAD", ...names]) await writeFile(join(root, name), "");

  const problem = await gitConfigurationProblem(root);

  expect(problem).toBe(isOne ? "its repository is not in a folder called .git" : undefined);
});

test("a folder without HEAD is not a repository", async () => {
  await using directory = await temporaryDirectory();
  const root = await realpath(directory.path);
  await mkdir(join(root, "objects"));
  await writeFile(join(root, "config"), "[core]\n\tfsmonitor = evil\n");

  expect(await gitConfigurationProblem(root)).toBeUndefined();
});

test.each([
  ["is whole", { head: "ref: refs/heads/main\n", names: ["objects", "refs"] }, undefined],
  ["is at a commit", { head: `${"0a".repeat(20)}\n`, names: ["objects", "refs"] }, undefined],
  ["has no objects", { head: "ref: refs/heads/main\n", names: ["refs"] }, "core.fsmonitor"],
  ["has no refs", { head: "ref: refs/heads/main\n", names: ["objects"] }, "core.fsmonitor"],
  ["has junk in HEAD", { head: "junk\n", names: ["objects", "refs"] }, "core.fsmonitor"],
  ["has no HEAD", { head: undefined, names: ["objects", "refs"] }, "core.fsmonitor"],
] as const)(
  "git looks above a .git that %s, unless it is certainly a repository",
  async (_, { head, names }, problem) => {
    await using directory = await temporaryDirectory();
    const root = await realpath(directory.path);
    await run("git", ["init", "-q", root]);
    await writeFile(join(root, ".git/config"), "[core]\n\tfsmonitor = evil\n", { flag: "a" });
    const inner = join(root, "inner");
    for (const name of names) await mkdir(join(inner, ".git", name), { recursive: true });
    if (head !== undefined) await writeFile(join(inner, ".git/HEAD"), head);

    const found = await gitConfigurationProblem(inner);

    expect(found).toBe(problem && `the repository's configuration sets ${problem}`);
  },
);

/** Every setting here makes some git command that only reads run the program `evil`. */
const settings: Record<string, (evil: string) => string> = {
  "core.fsmonitor": (evil) => `[core]\n\tfsmonitor = ${evil}\n`,
  "diff.external": (evil) => `[diff]\n\texternal = ${evil}\n`,
  "diff.x.textconv": (evil) => `[diff "x"]\n\ttextconv = ${evil}\n`,
  "filter.x.clean": (evil) => `[filter "x"]\n\tclean = ${evil}\n`,
  "include.path": () => `[include]\n\tpath = ../included\n`,
  "core.hooksPath": () => "",
};

const commands = [
  ["status"],
  ["diff"],
  ["log", "-p"],
  ["show"],
  ["blame", "file.x"],
  ["stash", "list"],
  ["grep", "text"],
  ["ls-files", "-m"],
];

/** A repository that runs `evil`, which leaves a mark, wherever git lets it. */
async function hostileRepository(root: string, setting: string) {
  const evil = join(root, "evil.sh");
  const mark = join(root, "mark");
  await writeFile(evil, `#!/bin/sh\ntouch '${mark}'\ncat "$@" 2>/dev/null\nexit 0\n`);
  await chmod(evil, 0o755);
  const directory = join(root, "repository");
  await mkdir(directory);
  const git = (...words: string[]) =>
    run("git", ["-C", directory, "-c", "user.name=x", "-c", "user.email=x@x", ...words]);
  await git("init", "-q");
  await writeFile(join(directory, ".gitattributes"), "*.x diff=x filter=x\n");
  await writeFile(join(directory, "file.x"), "text\n");
  await git("add", "-A");
  await git("commit", "-qm", "one");
  await writeFile(join(directory, "file.x"), "other text\n");
  const configuration = join(directory, ".git/config");
  await writeFile(join(directory, "included"), `[core]\n\tfsmonitor = ${evil}\n`);
  await writeFile(configuration, settings[setting]?.(evil) ?? "", { flag: "a" });
  await mkdir(join(directory, ".git/hooks"), { recursive: true });
  if (setting === "core.hooksPath") {
    await run("cp", [evil, join(directory, ".git/hooks/post-index-change")]);
  }
  return {
    directory,
    /** True when the hostile program ran. */
    async runs(words: readonly string[], environment: Record<string, string>): Promise<boolean> {
      await rm(mark, { force: true });
      // A new time of the same content is what makes git want to refresh its index.
      await run("touch", [join(directory, ".gitattributes")]);
      await run("git", ["-C", directory, ...words], {
        env: { PATH: process.env.PATH, ...environment },
      });
      return await access(mark).then(
        () => true,
        () => false,
      );
    },
  };
}

test.each(Object.keys(settings))(
  "a read-only git command runs nothing that a repository's %s names",
  async (setting) => {
    await using directory = await temporaryDirectory();
    const { directory: repository, runs } = await hostileRepository(
      await realpath(directory.path),
      setting,
    );

    const asks = (await gitConfigurationProblem(repository)) !== undefined;
    const unhardened: string[] = [];
    const hardened: string[] = [];
    for (const words of commands) {
      if (await runs(words, {})) unhardened.push(words.join(" "));
      if (!asks && (await runs(words, commandEnvironment({})))) hardened.push(words.join(" "));
    }

    expect(unhardened, "the control").not.toEqual([]);
    expect(hardened).toEqual([]);
  },
);

test("git status is free in a plain repository and needs approval in a hostile one", async () => {
  await using workspace = await project();
  const permissions = workspace.permissions();
  const before = await judgeLine(permissions, "git status");

  await writeFile(join(workspace.root, ".git/config"), '[filter "x"]\n\tclean = evil\n', {
    flag: "a",
  });
  const after = await judgeLine(permissions, "git status");

  expect(before).toMatchObject({ decision: "allow", isReadOnly: true });
  expect(after).toMatchObject({ decision: "ask", isReadOnly: false });
  expect(after.reason).toContain("filter.clean");
});

test("a repository in a subfolder, bare or linked, is found where git would find it", async () => {
  await using workspace = await project();
  const permissions = workspace.permissions();
  const bare = join(workspace.root, "src/bare");
  await run("git", ["init", "-q", "--bare", bare]);
  await writeFile(join(bare, "config"), "[core]\n\tfsmonitor = evil\n", { flag: "a" });
  const linked = join(workspace.root, "src/linked");
  await mkdir(linked);
  await writeFile(join(linked, ".git"), `gitdir: ../bare\n`);

  for (const line of [
    "cd src/bare && git log",
    "git -C src/linked status",
    "cd src/linked; git diff",
  ]) {
    const { decision, reason } = await judgeLine(permissions, line);

    expect({ line, decision }).toEqual({ line, decision: "ask" });
    expect(reason).toContain("core.fsmonitor");
  }
});

/** A folder that git takes for a repository, though its configuration is in another one. */
async function linkedRepository(root: string, name: string, common: string): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "HEAD"), "ref: refs/heads/main\n");
  await writeFile(join(folder, "commondir"), common);
  return folder;
}

async function hostileFolder(root: string, name: string): Promise<void> {
  await run("git", ["init", "-q", "--bare", join(root, name)]);
  await writeFile(join(root, name, "config"), "[diff]\n\texternal = evil\n", { flag: "a" });
}

test.each([
  [
    "a folder with no configuration but another's",
    async (root: string) => {
      await hostileFolder(root, "src/evil");
      await linkedRepository(root, "src/fx", "../evil\n");
    },
    ["cd src/fx && git diff HEAD", "git -C src/fx diff HEAD"],
  ],
  [
    "a folder that only looks like a repository, below one with a hostile configuration",
    async (root: string) => {
      await writeFile(join(root, "src/HEAD"), "junk");
      await writeFile(join(root, "src/config"), "");
      await writeFile(join(root, ".git/config"), "[diff]\n\texternal = evil\n", { flag: "a" });
    },
    ["cd src && git diff HEAD", "git -C src diff HEAD"],
  ],
  [
    "the parent of where a link leads",
    async (root: string) => {
      await mkdir(join(root, "a"));
      await mkdir(join(root, "deep/inner"), { recursive: true });
      await symlink("../deep/inner", join(root, "a/l"));
      await hostileFolder(root, "deep/.git");
    },
    ["git -C a/l/.. diff HEAD", "git -C a/l/../inner log"],
  ],
  [
    "a name with a line break",
    async (root: string) => {
      await hostileFolder(root, "src/e\nv");
      await mkdir(join(root, "src/fx"));
      await writeFile(join(root, "src/fx/.git"), "gitdir: ../e\nv\n");
    },
    ["git -C src/fx diff HEAD"],
  ],
  [
    "a name that ends with a blank",
    async (root: string) => {
      await hostileFolder(root, "src/ev ");
      await mkdir(join(root, "src/fx"));
      await writeFile(join(root, "src/fx/.git"), "gitdir: ../ev \n");
    },
    ["git -C src/fx diff HEAD"],
  ],
  [
    "an index in two files",
    async (root: string) => {
      await writeFile(join(root, ".git/sharedindex.0123"), "");
    },
    ["git status"],
  ],
  [
    "a filter, for what changes something",
    async (root: string) => {
      await writeFile(join(root, ".git/config"), '[filter "x"]\n\tclean = evil\n', { flag: "a" });
    },
    ["git add -A", "git commit -m x", "git checkout main", "git stash"],
  ],
  [
    "an editor",
    async (root: string) => {
      await writeFile(join(root, ".git/config"), "[core]\n\teditor = evil\n", { flag: "a" });
    },
    ["git commit --amend", "git config --local --list"],
  ],
])("git needs approval before it follows %s", async (_, prepare, lines) => {
  await using workspace = await project();
  const rules = allow(
    "bash(git add:*)",
    "bash(git commit:*)",
    "bash(git checkout:*)",
    "bash(git stash:*)",
  );
  const permissions = workspace.permissions({ rules });
  const decisions = async () =>
    await Promise.all(lines.map(async (line) => (await judgeLine(permissions, line)).decision));

  const before = await decisions();
  await prepare(workspace.root);
  const after = await decisions();

  expect(before, "the control").toEqual(lines.map(() => "allow"));
  expect(after).toEqual(lines.map(() => "ask"));
});

test("an exact rule allows git in a hostile repository too", async () => {
  await using workspace = await project();
  await writeFile(join(workspace.root, ".git/config"), '[filter "x"]\n\tclean = evil\n', {
    flag: "a",
  });
  const permissions = workspace.permissions({ rules: allow("bash(git add -A)") });

  expect(await judgeLine(permissions, "git add -A")).toMatchObject({ decision: "allow" });
});

test("a repository with a submodule needs approval, since git follows its configuration too", async () => {
  await using workspace = await project();
  const inner = join(workspace.root, "src/inner");
  await run("git", ["init", "-q", inner]);
  const identity = ["-c", "user.name=x", "-c", "user.email=x@x"];
  await run("git", ["-C", inner, ...identity, "commit", "-q", "--allow-empty", "-m", "one"]);
  await run("git", [
    "-C",
    workspace.root,
    "-c",
    "advice.addEmbeddedRepo=false",
    "add",
    "src/inner",
  ]);

  const { decision } = await judgeLine(workspace.permissions(), "git status");

  expect(decision).toBe("ask");
});

test.each([
  ['[core]\n\tbare = false\n[remote "origin"]\n\turl = https://example.com/x.git\n', undefined],
  ['[user] name = Ada\n# a comment\n[branch "a]b"]\n\tmerge = refs/heads/a\n', undefined],
  ["[core] bare = false fsmonitor = evil", undefined],
  ["[core]\n\tFSMonitor = evil\n", "core.FSMonitor"],
  ["[CORE]\n\tsshCommand = evil\n", "core.sshCommand"],
  ["[alias]\n\tst = !evil\n", "alias.st"],
  ["[core]\n\tbare = a\\\n[x]\n", "core.bare"],
  ["[diff.x]\n\ttextconv = evil\n", "diff.x.textconv"],
  ['[remote "x"]\n\turl = ext::sh -c evil\n', "remote.url"],
  ['[remote "x"]\n\tuploadpack = evil\n', "remote.uploadpack"],
  ["[core\n\tfsmonitor = evil\n", ".[core"],
  ["[core] ; x\n [core]fsmonitor=evil", "core.fsmonitor"],
])("a configuration is harmless if all its keys are: %j", (configuration, expected) => {
  expect(unusualKey(configuration)).toBe(expected);
});
