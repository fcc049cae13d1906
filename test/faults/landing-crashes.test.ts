import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Git, GitRun } from "../../src/git/git.ts";
import type { LandingQueueOptions } from "../../src/landing/landing-queue.ts";
import { targetRef } from "../../src/landing/target.ts";
import { parseMemberName } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { alice, bob, LandingBench, pictureOf, target } from "../support/landings.ts";
import { gitIn, makeRepository, openGit, writeFiles } from "../support/repository.ts";

const carol = parseMemberName("carol");
const lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

test("P28 a crash before any step of the queue loses no landing and repeats none", async () => {
  const { hits, violations } = await sweep({});

  expect(violations).toEqual([]);
  expect(hits).toBeGreaterThan(30);
});

test("control: a queue that moves the target without comparing loses what the person committed", async () => {
  const { violations } = await sweep({ isNaive: true });

  expect(violations).toContainEqual(expect.stringContaining("the person's commit is lost"));
});

test("control: a queue that does not look whether the work is there already lands it twice", async () => {
  const { violations } = await sweep({ forgets: true });

  expect(violations).toContainEqual(expect.stringContaining("landed 2 times"));
});

interface Faults {
  /** The target is moved whatever it is at. */
  isNaive?: boolean;
  /** Nothing is found to be in the target. */
  forgets?: boolean;
}

/** Dies before the k-th step, for every k until the queue gets by, or until something is wrong. */
async function sweep(faults: Faults) {
  await using template = await temporaryDirectory();
  const root = join(template.path, "work");
  await makeRepository(root, { "a.txt": lines, "b.txt": "b\n" });
  // What the person is in the middle of.
  await writeFiles(root, { "a.txt": `${lines}mine\n`, "untracked.txt": "mine\n" });
  await gitIn(root, "add", "a.txt");
  for (let at = 1; ; at++) {
    const { isHit, found } = await dieAt(at, { template: template.path, faults });
    const violations = found.map((it) => `died before step ${at}: ${it}`);
    if (!isHit || violations.length > 0) return { hits: at - 1, violations };
  }
}

async function dieAt(at: number, { template, faults }: { template: string; faults: Faults }) {
  await using directory = await temporaryDirectory();
  const root = join(directory.path, "work");
  await cp(join(template, "work"), root, { recursive: true, preserveTimestamps: true });
  const person = new Person(root);
  const bench = await LandingBench.open(root, {
    works: [
      { member: alice, edits: { "a.txt": lines.replace("1", "one") } },
      { member: bob, edits: { "a.txt": lines.replace("9", "nine"), "new/b.txt": "b\n" } },
      { member: carol, edits: { "a.txt": lines.replace("1", "eins") } },
    ],
  });
  const before = await pictureOf(root);
  const dying = new Steps(at);
  await runOnce(bench, dying, { person, faults });
  await runOnce(bench, new Steps(0), { person, faults });
  const found = await violationsIn(bench, person);
  if (JSON.stringify(await pictureOf(root)) !== JSON.stringify(before)) {
    found.push("the person's directory has changed");
  }
  return { isHit: dying.isDead, found };
}

interface RunOnce {
  person: Person;
  faults: Faults;
}

/** One process: opens the queue and runs it until it has nothing more to do, or is dead. */
async function runOnce(bench: LandingBench, steps: Steps, { person, faults }: RunOnce) {
  const git = withSteps(await openGit(bench.root), { steps, person, faults });
  const landings = new Proxy(bench.landings, {
    get(whole, name) {
      if (name !== "move") return bound(whole, name);
      const move: LandingQueueOptions["landings"]["move"] = async (landing, to) => {
        steps.take();
        return await whole.move(landing, to);
      };
      return move;
    },
  });
  const queue = bench.openQueue({
    ...{ git, landings },
    check: async () => {
      steps.take();
      return undefined;
    },
    tell: async (landing) => {
      steps.take();
      bench.told.push(landing);
    },
  });
  await queue.resume().catch(ifDead);
  await queue.settled();
}

function ifDead(error: unknown): void {
  if (!(error instanceof Death)) throw error;
}

function withSteps(git: Git, { steps, person, faults }: RunOnce & { steps: Steps }): Git {
  const run = async (argv: readonly string[], options?: GitRun) => {
    steps.take();
    if (argv.includes(targetRef(target)) && argv[0] === "update-ref") await person.commitOnce();
    if (faults.forgets && argv[0] === "merge-base")
      return await git.run(["rev-parse", "-q", "--verify", "none"]);
    const isMove = argv[0] === "update-ref" && argv[2] === targetRef(target);
    return await git.run(faults.isNaive && isMove ? argv.slice(0, -1) : argv, options);
  };
  return new Proxy(git, {
    get(whole, name) {
      if (name === "run") return run;
      if (name !== "text") return bound(whole, name);
      return async (argv: readonly string[], options?: GitRun) => {
        steps.take();
        return await whole.text(argv, options);
      };
    },
  });
}

function bound(whole: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(whole, name, whole);
  return typeof value === "function" ? value.bind(whole) : value;
}

async function violationsIn(bench: LandingBench, person: Person): Promise<string[]> {
  const found: string[] = [];
  const landings = await bench.landings.list();
  const states = landings.map(({ state }) => state).join(" ");
  if (states !== "landed landed conflict") found.push(`the landings are ${states}`);
  const landed = await bench.landed();
  for (const { commit, member, state } of landings) {
    const times = landed.filter((each) => each === commit).length;
    const wanted = state === "landed" ? 1 : 0;
    if (times !== wanted) found.push(`the work of ${member} has landed ${times} times`);
    const told = bench.told.filter((it) => it.member === member && it.state === state);
    if (told.length === 0) found.push(`nobody was told of the work of ${member}`);
  }
  const commit = await person.commitOnce();
  const argv = ["merge-base", "--is-ancestor", commit, target];
  if ((await bench.git.run(argv)).code !== 0) found.push("the person's commit is lost");
  const fsck = await bench.git.run(["fsck", "--no-dangling"]);
  if (fsck.code !== 0) found.push(`the repository is damaged: ${fsck.errors}`);
  return found;
}

/** The person, who commits to the target once, in the worst moment. */
class Person {
  readonly #root: string;
  #commit: Promise<string> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  commitOnce(): Promise<string> {
    this.#commit ??= this.#commitNow();
    return this.#commit;
  }

  async #commitNow(): Promise<string> {
    const root = this.#root;
    const parent = await gitIn(root, "rev-parse", "--verify", "-q", target).catch(() => "HEAD");
    const commit = await gitIn(root, "commit-tree", `${parent}^{tree}`, "-p", parent, "-m", "mine");
    await gitIn(root, "update-ref", targetRef(target), commit);
    return commit;
  }
}

class Death extends Error {
  override readonly name = "Death";
}

/** Counts the steps of a process, which is dead from one of them on. */
class Steps {
  readonly #last: number;
  #taken = 0;

  constructor(last: number) {
    this.#last = last;
  }

  get isDead(): boolean {
    return this.#last > 0 && this.#taken >= this.#last;
  }

  take(): void {
    if (!this.isDead) this.#taken++;
    if (this.isDead) throw new Death("The process is dead");
  }
}
