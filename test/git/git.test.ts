import { access, chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onErrno } from "../../src/errors.ts";
import { takeSnapshot } from "../../src/git/snapshot.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import {
  gitEnvironment,
  gitIn,
  makeRepository,
  makeTrap,
  openGit,
  writeFiles,
} from "../support/repository.ts";

const author = { name: "Ann", email: "ann@example.com", at: new Date("2026-01-01") };

/** A repository whose configuration starts a program wherever git lets it. */
async function makeTrappedRepository(directory: string) {
  const root = await makeRepository(join(directory, "work"), { "a.txt": "a\n" });
  const { script, mark } = await makeTrap(join(directory, "trap"));
  const hooks = join(directory, "hooks");
  await mkdir(hooks);
  for (const hook of ["post-index-change", "reference-transaction", "post-checkout"]) {
    await writeFile(join(hooks, hook), `#!/bin/sh\n${script} ${hook} </dev/null\n`);
    await chmod(join(hooks, hook), 0o755);
  }
  const settings = {
    "core.hooksPath": hooks,
    "core.fsmonitor": script,
    "core.alternateRefsCommand": script,
    "filter.bad.clean": script,
    "filter.bad.smudge": script,
    "filter.bad.required": "true",
    "filter.a.b.clean": script,
    "merge.bad.driver": script,
    "merge.default": "bad",
    "credential.helper": script,
  };
  await writeFiles(root, { ".gitattributes": "*.txt filter=bad merge=bad\n" });
  for (const [key, value] of Object.entries(settings)) await gitIn(root, "config", key, value);
  return { root, hasRun: () => exists(mark) };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(() => true, onErrno(false, "ENOENT"));
}

test("nothing that the repository's configuration names is started", async () => {
  await using directory = await temporaryDirectory();
  const { root, hasRun } = await makeTrappedRepository(directory.path);
  await writeFiles(root, { "b.txt": "b\n", "a.txt": "changed\n" });
  const git = await openGit(root);

  const commit = await takeSnapshot(git, {
    ...{ workTree: root, index: join(directory.path, "index"), like: join(root, ".git/index") },
    ...{ parents: ["HEAD"], message: "all", author },
  });
  await git.text(["update-ref", "refs/heads/other", commit]);
  await git.text(["read-tree", "--reset", "-u", "HEAD"]);
  for (const name of ["b.txt", ".gitattributes"]) await rm(join(root, name));
  await git.text(["read-tree", "-m", "-u", "HEAD", commit]);

  expect(await hasRun()).toBe(false);
  expect(await readFile(join(root, "b.txt"), "utf8")).toBe("b\n");
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("changed\n");
});

test("control: plain git starts it", async () => {
  await using directory = await temporaryDirectory();
  const { root, hasRun } = await makeTrappedRepository(directory.path);

  await gitIn(root, "status").catch(() => undefined);

  expect(await hasRun()).toBe(true);
});

test("a repository that is named is used, whatever lies around the directory", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "one"));
  const other = await makeRepository(join(directory.path, "two"), { "b.txt": "b\n" });
  await writeFiles(other, { "c.txt": "c\n" });

  const git = await openGit(root, {
    repository: { gitDirectory: join(other, ".git"), workTree: other },
  });

  expect(await git.text(["ls-files", "--others", "--cached"])).toBe("c.txt\nb.txt");
});

test("with no configuration but the repository's own, the person's does not hold", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  await writeFile(join(directory.path, ".gitconfig"), "[user]\n\tname = Somebody\n");
  const env = { ...gitEnvironment, HOME: directory.path };
  const nameWith = async (configuration: "person" | "none") => {
    const git = await openGit(root, { env, configuration });
    return (await git.run(["config", "user.name"])).output.toString();
  };

  expect(await nameWith("person")).toBe("Somebody\n");
  expect(await nameWith("none")).toBe("");
});

test("a failure says what git said", async () => {
  await using directory = await temporaryDirectory();
  const git = await openGit(await makeRepository(join(directory.path, "work")));

  await expect(git.text(["rev-parse", "--verify", "missing"])).rejects.toMatchObject({
    code: "git-failed",
    message: "git rev-parse has failed: fatal: Needed a single revision",
  });
});

test("without git the error is git-missing", async () => {
  await using directory = await temporaryDirectory();
  const git = await openGit(directory.path, { programs: { find: async () => "/nowhere/git" } });

  await expect(git.requireVersion()).rejects.toMatchObject({ code: "git-missing" });
});

test.each([
  ["2.37.9", "git-too-old"],
  ["1.99.0", "git-too-old"],
  ["2.38.0", undefined],
  ["2.50.1 (Apple Git-155)", undefined],
  ["3.0.0", undefined],
])("git %s is judged %s", async (version, code) => {
  await using directory = await temporaryDirectory();
  const program = join(directory.path, "git");
  await writeFile(program, `#!/bin/sh\necho "git version ${version}"\n`, { mode: 0o755 });
  const git = await openGit(directory.path, { programs: { find: async () => program } });

  const judged = git.requireVersion().then(
    () => undefined,
    (error: unknown) => error,
  );

  expect(await judged).toEqual(code === undefined ? undefined : expect.objectContaining({ code }));
});

test("an interrupted run ends with what it has started", async () => {
  await using directory = await temporaryDirectory();
  const program = join(directory.path, "git");
  const pidFile = join(directory.path, "pid");
  const script = `[ "$1" = config ] && exit 0\nsleep 1000 & echo $! > '${pidFile}'; wait\n`;
  await writeFile(program, `#!/bin/sh\n${script}`, { mode: 0o755 });
  const git = await openGit(directory.path, { programs: { find: async () => program } });
  const interrupt = new AbortController();

  const running = git.run(["fetch"], { signal: interrupt.signal });
  await expect.poll(() => readFile(pidFile, "utf8").catch(() => "")).toMatch(/\d+\n/);
  const pid = Number(await readFile(pidFile, "utf8"));
  interrupt.abort();

  expect(await running).toMatchObject({ code: undefined });
  await expect.poll(() => isAlive(pid)).toBe(false);
});

/** A process that has ended may still be in the table, as nobody's child. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(onErrno("", "ENOENT", "ESRCH"));
  return stat !== "" && !/\) [ZX] /.test(stat);
}
