import { access, readdir, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { systemProcesses } from "../../../src/lib/process-identity.ts";
import { CommitId } from "../../../src/protocol/ids.ts";
import { LandingChecks } from "../../../src/team/landings/landing-checks.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { openShell } from "../../processes/shell-fixture.ts";
import { gitIn, makeRepository, openGit, writeFiles } from "../../support/repository.ts";

const files = { "a.txt": "a\n", "sub/b.txt": "b\n", ".gitignore": "out\n" };

test("P28 a check runs on exactly the tree of the commit, whatever the person has there", async () => {
  await using bench = await openBench("find . -type f | sort; cat a.txt; exit 3");
  await writeFiles(bench.root, { "a.txt": "mine\n", "untracked.txt": "mine\n" });

  const failure = await bench.check();

  expect(failure).toMatchObject({
    exit_code: 3,
    reason: "It ended with exit code 3",
    output: "./.gitignore\n./a.txt\n./sub/b.txt\na",
  });
  expect(await readFile(join(bench.root, "a.txt"), "utf8")).toBe("mine\n");
});

test("P28 a check that changes files changes no commit, and the next one finds nothing of it", async () => {
  const spoil = "echo changed > a.txt; rm -r sub; mkdir out; echo x > out/x; git init -q nested";
  const find = "find . -type f -not -path './nested/*' | sort; cat a.txt";
  await using bench = await openBench(
    `if [ -e $HOME/spoilt ]; then ${find}; exit 3; fi; touch $HOME/spoilt; ${spoil}`,
  );

  expect(await bench.check()).toBeUndefined();
  const second = await bench.check();

  expect(second?.output).toBe("./.gitignore\n./a.txt\n./sub/b.txt\na");
  expect(await gitIn(bench.root, "status", "--porcelain")).toBe("");
  expect(await gitIn(bench.root, "show", `${bench.commit}:a.txt`)).toBe("a");
});

test("a directory that a check has locked does not hinder the next one", async () => {
  await using bench = await openBench("ls; mkdir -p locked/in && chmod 0 locked/in locked");

  await bench.check();
  await bench.writeCommit({ "c.txt": "c\n" });

  expect(await bench.check()).toBeUndefined();
});

test("P28 a check that hangs is ended by its timeout, with what it has started", async () => {
  const clock = new ManualClock();
  await using bench = await openBench("sleep 1000 & echo $! $$ > $HOME/pids; sleep 1000", clock);
  let isOver = false;
  const checking = bench.check().finally(() => {
    isOver = true;
  });
  const written = () => readFile(join(bench.directory, "../../pids"), "utf8").catch(() => "");
  await expect.poll(written).toMatch(/^\d+ \d+\n$/);

  await clock.advanceUntil(() => isOver);

  const reason = "It did not end within 600 s";
  expect(await checking).toMatchObject({ exit_code: null, reason });
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(600_000);
  const pids = (await written()).trim().split(" ").map(Number);
  const starts = await Promise.all(pids.map((pid) => systemProcesses.startOf(pid)));
  expect(starts).toEqual([undefined, undefined]);
});

test("a check that is killed has no exit code, and what killed it is named", async () => {
  await using bench = await openBench("echo begun; kill -9 $$");

  expect(await bench.check()).toMatchObject({
    ...{ exit_code: null, reason: "It was killed by SIGKILL", output: "begun" },
  });
});

test("an interrupted check says nothing", async () => {
  const stop = new AbortController();
  await using bench = await openBench("echo begun; sleep 1000");

  bench.onStart = () => stop.abort();

  expect(await bench.check(stop.signal)).toBeUndefined();
});

test("a check that cannot be started is no failure of the work", async () => {
  await using bench = await openBench("a\0b");

  await expect(bench.check()).rejects.toMatchObject({ code: "check-failed" });
});

test("of a long output the end is kept", async () => {
  await using bench = await openBench("seq 10000; exit 1");

  const failure = await bench.check();

  expect(failure?.output).toMatch(/^….*\n9999\n10000$/s);
  expect(failure?.output.length).toBeLessThan(4_010);
});

test("what a check leaves is removed in the end", async () => {
  const bench = await openBench("echo x > x");
  await bench.check();
  expect(await readdir(bench.directory)).toContain("tree");

  await bench.checks[Symbol.asyncDispose]();

  await expect(access(bench.directory)).rejects.toMatchObject({ code: "ENOENT" });
  await bench[Symbol.asyncDispose]();
});

test("P36 no check runs where a link leads, and nothing there is changed", async () => {
  await using bench = await openBench("echo x > x");
  const mine = join(bench.root, "mine");
  await writeFiles(mine, { "team/tree/notes": "mine" });
  await symlink(mine, dirname(bench.directory));

  await expect(bench.check()).rejects.toMatchObject({ code: "team-unusable" });

  expect(await readdir(mine, { recursive: true })).toEqual([
    "team",
    "team/tree",
    "team/tree/notes",
  ]);
});

async function openBench(command: string, clock: Clock = systemClock) {
  const shell = await openShell({ clock });
  const root = await makeRepository(join(shell.directory, "work"), files);
  const directory = join(shell.directory, "checks", "team");
  const git = await openGit(root);
  const gitDirectory = join(root, ".git");
  const checks = new LandingChecks({
    ...{ command, timeoutMs: 600_000, directory },
    openGit: (tree) => openGit(tree, { repository: { gitDirectory, workTree: tree } }),
    openRunner(cwd) {
      const environment = { PATH: process.env.PATH ?? "", HOME: shell.directory };
      const runner = shell.runnerIn(cwd, environment);
      return {
        runProgram: (request) => runner.runProgram(request),
        async start(request) {
          const command = await runner.start(request);
          bench.onStart();
          return command;
        },
      };
    },
  });
  let commit = CommitId.parse(await git.text(["rev-parse", "HEAD"]));
  const bench = {
    ...{ root, directory, checks },
    onStart: () => {},
    get commit() {
      return commit;
    },
    check: (signal = new AbortController().signal) => checks.run(commit, signal),
    async writeCommit(edits: Readonly<Record<string, string>>) {
      await writeFiles(root, edits);
      await gitIn(root, "add", "-A");
      await gitIn(root, "commit", "-q", "-m", "more");
      commit = CommitId.parse(await gitIn(root, "rev-parse", "HEAD"));
    },
    async [Symbol.asyncDispose]() {
      await checks[Symbol.asyncDispose]();
      await shell[Symbol.asyncDispose]();
    },
  };
  return bench;
}
