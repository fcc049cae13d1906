/**
 * A runtime that may be killed at any moment: `life <options as JSON>`. It prints a character before each run of git, which is `!`
 * where it moves a ref, and ends when its phase is done.
 */
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenGit } from "../../../src/checkouts/own-repository.ts";
import { TeamCheckouts } from "../../../src/checkouts/team-checkouts.ts";
import { Git, type GitRun } from "../../../src/git/git.ts";
import { LandingQueue } from "../../../src/landing/landing-queue.ts";
import { targetRef } from "../../../src/landing/target.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { Programs } from "../../../src/processes/programs.ts";
import { LandingChecks } from "../../../src/team/landings/landing-checks.ts";
import { TeamLandings } from "../../../src/team/landings/team-landings.ts";
import { openShell } from "../../../test/processes/shell-fixture.ts";
import { gitEnvironment, gitIn } from "../../../test/support/repository.ts";
import { Random } from "../../random.ts";
import { type Habit, LifeOptions, placesIn, target, teamId } from "../contract.ts";
import { openStores } from "../stores.ts";

const { directory, phase, members, habit, seed } = LifeOptions.parse(
  JSON.parse(process.argv[2] ?? ""),
);
const places = placesIn(directory);
const random = new Random(seed);
const programs = new Programs({ path: process.env.PATH, workspace: places.root });
const stores = openStores(places.records, console.error);
await Promise.all([stores.checkouts.repair(), stores.landings.repair()]);

/** The person commits to the target in the worst moment. */
async function commitAsPerson(): Promise<void> {
  const tip = await gitIn(places.root, "rev-parse", "--verify", target);
  const id = await gitIn(places.root, "commit-tree", `${tip}^{tree}`, "-p", tip, "-m", "mine");
  await gitIn(places.root, "update-ref", targetRef(target), id, tip);
  appendFileSync(places.personsCommits, `${id}\n`);
}

const faultyGit =
  (habit: Habit): OpenGit =>
  async (options) => {
    const git = await Git.open({ ...options, env: gitEnvironment, programs });
    const run = async (argv: readonly string[], given?: GitRun) => {
      process.stdout.write(argv[0] === "update-ref" ? "!" : ".");
      const isMove = argv[0] === "update-ref" && argv[2] === targetRef(target);
      const isNew = /^0+$/.test(argv[4] ?? "");
      if (isMove && !isNew && random.fraction() < 0.3) await commitAsPerson();
      if (habit === "forgets-landed" && argv[0] === "merge-base") {
        return await git.run(["rev-parse", "-q", "--verify", "none"]);
      }
      const isBlind = isMove && habit === "moves-blindly";
      return await git.run(isBlind ? argv.slice(0, -1) : argv, given);
    };
    return new Proxy(git, {
      get(whole, name) {
        if (name === "run") return run;
        const value: unknown = Reflect.get(whole, name, whole);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          process.stdout.write(".");
          return value.apply(whole, given);
        };
      },
    });
  };

const openGit = faultyGit("right");

const checkouts = new TeamCheckouts({
  ...{
    records: stores.checkouts,
    openGit,
    teamId,
    target,
    clock: systemClock,
    links: [],
    keepDays: 7,
  },
  ...{ directory: places.checkouts, teamDirectory: join(places.root, ".team"), base: "head" },
  onWarning: console.error,
  tell: async (member, text) => console.error(`to ${member}: ${text}`),
});

async function makeAll(): Promise<void> {
  for (const member of members) {
    const record = await stores.checkouts.get(member);
    if (record?.state === "ready") continue;
    const [from, incarnation] = [places.root, randomUUID()];
    await checkouts.make({ member, incarnation, from, cwd: from });
  }
}

async function landAll(): Promise<void> {
  const git = await faultyGit(habit)({
    cwd: places.root,
    repository: { gitDirectory: join(places.root, ".git") },
  });
  await using shell = await openShell();
  await using checks = new LandingChecks({
    ...{ command: "test ! -e forbidden", timeoutMs: 60_000, directory: places.checks },
    openGit: (tree) =>
      openGit({
        cwd: tree,
        repository: { gitDirectory: join(places.root, ".git"), workTree: tree },
      }),
    openRunner: (tree) => shell.runnerIn(tree, { PATH: process.env.PATH ?? "" }),
  });
  let wake = () => {};
  const landings = new TeamLandings({
    ...{ store: stores, mode: "auto", onWarning: console.error },
    keep: async (member) => (await checkouts.keep(member)) ?? (await checkouts.latest(member)),
    openWorks: async ({ tell: _, ...parts }) => ({
      queue: new LandingQueue({
        ...{ ...parts, git, isProtected: () => false, tell: async () => undefined },
        check: (commit, signal) => checks.run(commit, signal),
      }),
      [Symbol.asyncDispose]: async () => undefined,
    }),
    tell: async () => undefined,
    tellProblem: async (problem) => console.error(problem),
    onRest: () => wake(),
  });
  landings.start();
  await Promise.all(members.map((member) => landings.handIn(member)));
  while (!landings.isAtRest) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  await landings.close();
}

const ready = (await stores.checkouts.list()).filter(({ state }) => state === "ready");
const inUse = phase === "retire" ? [] : ready.map(({ id, path }) => [id, path] as const);
await checkouts.recover(new Map(inUse));
if (phase === "make") await makeAll();
if (phase === "work") await landAll();
