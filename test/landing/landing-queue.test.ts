import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isProtected } from "../../src/permissions/protected-paths.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { alice, bob, LandingBench, pictureOf, target } from "../support/landings.ts";
import { gitIn, makeRepository, writeFiles } from "../support/repository.ts";

const lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

test("P28 work lands once, in the order of the queue, and the person's directory stays as it is", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { "a.txt": lines });
  await writeFiles(root, { "a.txt": `${lines}mine\n`, "untracked.txt": "mine\n" });
  const bench = await LandingBench.open(root);
  const first = await bench.take(alice, { "a.txt": lines.replace("1", "one") });
  const second = await bench.take(bob, { "a.txt": lines.replace("9", "nine"), "b.txt": "b\n" });
  const before = await pictureOf(root);

  const landings = await bench.run();
  const again = await bench.run(bench.openQueue());

  expect(landings.map(({ state }) => state)).toEqual(["landed", "landed"]);
  expect(again).toEqual(landings);
  expect(await bench.landed()).toEqual([first.commit, second.commit]);
  expect(await bench.show("a.txt")).toBe(lines.replace("1", "one").replace("9", "nine").trimEnd());
  expect(await pictureOf(root)).toEqual(before);
  expect(bench.told.map(({ id, state }) => [id, state])).toEqual([
    ["1", "landed"],
    ["2", "landed"],
  ]);
});

test("the commit of a landing says whose work it is, and has its time from the record", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const bench = await LandingBench.open(root, { works: [{ member: alice, edits: { b: "b\n" } }] });

  const [landing] = await bench.run();

  const shown = await gitIn(root, "show", "-s", "--format=%an|%ae|%aI|%cI|%s", target);
  const at = `${landing?.created_at.slice(0, 19)}Z`;
  expect(shown.replaceAll("+00:00", "Z")).toBe(
    `alice|alice@troupe.invalid|${at}|${at}|Land the work of alice (landing 1)`,
  );
  expect(landing).toMatchObject({ merge_commit: await bench.tip() });
});

test("P28 a conflict leaves the target as it was, and is told once with the files", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { "a.txt": lines, b: "b\n" });
  const bench = await LandingBench.open(root);
  await bench.take(alice, { "a.txt": lines.replace("1", "one") });
  await bench.take(bob, { "a.txt": lines.replace("1", "eins"), b: "bb\n" });
  const before = await pictureOf(root);

  const landings = await bench.run();
  const tip = await bench.tip();
  await bench.run();

  expect(landings).toMatchObject([{ state: "landed" }, { state: "conflict", files: ["a.txt"] }]);
  expect(landings[1]).toMatchObject({ onto: landings[0]?.merge_commit, merge_commit: null });
  expect(await bench.tip()).toBe(tip);
  expect(await pictureOf(root)).toEqual(before);
  expect(bench.told.slice(1)).toEqual([landings[1]]);
});

test("P28 a second attempt that has the target in it lands", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { "a.txt": lines });
  const bench = await LandingBench.open(root);
  await bench.take(alice, { "a.txt": lines.replace("1", "one") });
  const conflict = await bench.take(bob, { "a.txt": lines.replace("1", "eins") });
  await bench.run();
  const parents = [conflict.commit, (await bench.tip()) ?? ""];
  const both = { "a.txt": lines.replace("1", "one, eins") };
  await bench.take(bob, both, { parents, attempt: 2 });

  const landings = await bench.run();

  expect(landings.map(({ state }) => state)).toEqual(["landed", "conflict", "landed"]);
  expect(await bench.show("a.txt")).toBe(lines.replace("1", "one, eins").trimEnd());
});

test("P28 after the third attempt work is given up, with what was wrong with it", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { "a.txt": lines });
  const bench = await LandingBench.open(root);
  await bench.take(alice, { "a.txt": lines.replace("1", "one") });
  await bench.take(bob, { "a.txt": lines.replace("1", "eins") }, { attempt: 3 });

  const [, failed] = await bench.run();

  expect(failed).toMatchObject({ state: "failed", files: ["a.txt"] });
  expect(failed?.reason).toBe("Given up after 3 attempts: it conflicts with the target");
  expect(bench.told.at(-1)).toEqual(failed);
});

test("work that is in the target already has landed", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const bench = await LandingBench.open(root);
  const { commit } = await bench.take(alice, { b: "b\n" });
  await gitIn(root, "branch", target, commit);

  expect(await bench.run()).toMatchObject([{ state: "landed", merge_commit: null }]);
  expect(await bench.tip()).toBe(commit);
  expect(bench.told).toMatchObject([{ state: "landed" }]);
});

test("P28 a target that moved during the check is merged and checked again", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { "a.txt": lines });
  const checked: string[] = [];
  const bench = await LandingBench.open(root, {
    works: [{ member: alice, edits: { "a.txt": lines.replace("1", "one") } }],
    check: async (commit) => {
      checked.push(commit);
      // The person commits to it meanwhile.
      if (checked.length === 1) await commitToTarget(root, { "p.txt": "person\n" });
      return undefined;
    },
  });

  const [landing] = await bench.run();

  expect(checked).toHaveLength(2);
  expect(landing).toMatchObject({ state: "landed", merge_commit: checked[1] });
  expect(await bench.tip()).toBe(checked[1]);
  expect(await bench.show("p.txt")).toBe("person");
});

test("P28 what lands is exactly the tree that was checked", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { "a.txt": lines });
  const checked: string[] = [];
  const bench = await LandingBench.open(root, {
    check: async (commit) => {
      checked.push(commit);
      return undefined;
    },
  });
  await bench.take(alice, { "a.txt": lines.replace("1", "one") });
  await bench.take(bob, { "a.txt": lines.replace("9", "nine") });

  const landings = await bench.run();

  expect(landings.map(({ merge_commit }) => merge_commit)).toEqual(checked);
  expect(await bench.tip()).toBe(checked[1]);
});

test("P28 a red check leaves the target as it was", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const check = { command: "npm test", exit_code: 1, reason: "exit 1", output: "1 failed" };
  const bench = await LandingBench.open(root, {
    works: [{ member: alice, edits: { b: "b\n" } }],
    check: async () => check,
  });

  const [landing] = await bench.run();

  expect(landing).toMatchObject({ state: "rejected", check });
  expect(await bench.tip()).toBe(bench.base);
  expect(bench.told).toEqual([landing]);
});

test("a target that is checked out anywhere is not moved, and the landing says where it is", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const other = join(directory.path, "other");
  await gitIn(root, "worktree", "add", "-q", "-b", target, other);
  const bench = await LandingBench.open(root, { works: [{ member: alice, edits: { b: "b\n" } }] });

  const [waiting] = await bench.run();

  expect(waiting).toMatchObject({ state: "taken", approved: false });
  expect(waiting?.reason).toBe(
    `The target ${target} is checked out in ${other}. Check out another branch there, or choose another target.`,
  );
  expect(bench.told).toEqual([waiting]);
  expect(await bench.tip()).toBe(bench.base);

  await gitIn(other, "checkout", "-q", "--detach");
  if (waiting) await bench.landings.move(waiting, { state: "taken", approved: true });
  expect(await bench.run()).toMatchObject([{ state: "landed" }]);
});

test("a worktree whose directory is gone does not keep its branch", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const other = join(directory.path, "other");
  await gitIn(root, "worktree", "add", "-q", "-b", target, other);
  await rm(other, { recursive: true });
  const bench = await LandingBench.open(root, { works: [{ member: alice, edits: { b: "b\n" } }] });

  expect(await bench.run()).toMatchObject([{ state: "landed" }]);
});

test("a target that is checked out while the check runs is not moved", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const bench = await LandingBench.open(root, {
    works: [{ member: alice, edits: { b: "b\n" } }],
    check: async () => {
      await gitIn(root, "checkout", "-q", target);
      return undefined;
    },
  });

  expect(await bench.run()).toMatchObject([{ state: "taken", reason: /is checked out in/ }]);
  expect(await gitIn(root, "status", "--porcelain")).toBe("");
});

test("a target that was deleted is made again from what is checked out", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const bench = await LandingBench.open(root);
  const first = await bench.take(alice, { b: "b\n" });
  await bench.run();
  await gitIn(root, "branch", "-D", target);
  const second = await bench.take(bob, { c: "c\n" });

  const landings = await bench.run();

  expect(landings.map(({ state }) => state)).toEqual(["landed", "landed"]);
  expect(await bench.landed()).toEqual([second.commit]);
  expect(await gitIn(root, "rev-parse", first.ref)).toBe(first.commit);
});

test.each(["troupe/x..y", "-", "a b"])("%j is no target", async (name) => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const bench = await LandingBench.open(root);
  await bench.take(alice, { b: "b\n" }, { target: name });

  const [waiting] = await bench.run();

  expect(waiting).toMatchObject({ state: "taken", approved: false });
});

test("work whose commit is gone waits, and says why", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const bench = await LandingBench.open(root);
  const { ref } = await bench.take(alice, { b: "b\n" });
  await gitIn(root, "update-ref", "-d", ref);
  await gitIn(root, "gc", "-q", "--prune=now");

  const [waiting] = await bench.run();

  expect(waiting).toMatchObject({ state: "taken", reason: expect.stringContaining("git ") });
});

const protectedEdits = [".github/workflows/x.yml", ".husky/pre-commit", "sub/.gitattributes"];

test.each(protectedEdits)(
  "a landing that changes %s waits for the person's decision",
  async (path) => {
    await using directory = await temporaryDirectory();
    const root = await makeRepository(join(directory.path, "work"));
    const bench = await LandingBench.open(root, {
      works: [{ member: alice, edits: { [path]: "x\n", b: "b\n" } }],
      isProtected: (relative) =>
        isProtected({ relative, real: join(root, relative), isInside: true }, []),
    });

    const [waiting] = await bench.run();

    expect(waiting).toMatchObject({ state: "taken", approved: false });
    expect(waiting?.reason).toBe(`It changes files that make other programs run code: ${path}`);
    expect(await bench.tip()).toBe(bench.base);

    if (waiting) await bench.landings.move(waiting, { state: "taken", approved: true });
    expect(await bench.run()).toMatchObject([{ state: "landed" }]);
  },
);

test("a landing that changes a submodule waits for the person's decision", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const bench = await LandingBench.open(root);
  await bench.take(alice, { sub: { content: bench.base, mode: "160000" } });

  const [waiting] = await bench.run();

  expect(waiting).toMatchObject({ state: "taken", reason: "It changes submodules: sub" });
  expect(await bench.tip()).toBe(bench.base);
});

test("where the person is asked, all work waits, and conflicts are told before", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { "a.txt": lines });
  const bench = await LandingBench.open(root, { asks: true });
  await bench.take(alice, { "a.txt": lines.replace("1", "one") });
  await commitToTarget(root, { "a.txt": lines.replace("1", "eins") });
  await bench.take(bob, { b: "b\n" });

  const landings = await bench.run();

  expect(landings).toMatchObject([
    { state: "conflict" },
    { state: "taken", reason: "It waits for your decision" },
  ]);
});

test("a landing that waits holds up none after it", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const bench = await LandingBench.open(root, { isProtected: (path) => path === "guarded" });
  await bench.take(alice, { guarded: "x\n" });
  await bench.take(bob, { b: "b\n" });

  expect((await bench.run()).map(({ state }) => state)).toEqual(["taken", "landed"]);
});

test("a landing that is discarded while it is checked does not land", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const queue: { begin?: () => void } = {};
  const begun = new Promise<void>((resolve) => {
    queue.begin = resolve;
  });
  const bench = await LandingBench.open(root, {
    works: [{ member: alice, edits: { b: "b\n" } }],
    check: (_, signal) => {
      queue.begin?.();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    },
  });

  const running = bench.run();
  await begun;
  const [landing] = await bench.landings.list();
  if (!landing) throw new Error("There is no landing");
  await bench.queue.decide(landing.id, () => bench.landings.move(landing, { state: "discarded" }));

  expect(await running).toMatchObject([{ state: "discarded" }]);
  expect(await bench.tip()).toBe(bench.base);
});

test("a landing whose record cannot be written is warned of, and the others land", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const bench = await LandingBench.open(root);
  await bench.take(alice, { b: "b\n" });
  await bench.take(bob, { c: "c\n" });
  const move = bench.landings.move.bind(bench.landings);
  bench.landings.move = async (landing, to) => {
    if (landing.id === "1") throw new Error("no space left");
    return await move(landing, to);
  };

  expect((await bench.run()).map(({ state }) => state)).toEqual(["taken", "landed"]);
  expect(bench.warnings).toEqual(["Landing 1 could not continue: Error: no space left"]);

  bench.landings.move = move;
  expect((await bench.run()).map(({ state }) => state)).toEqual(["landed", "landed"]);
});

test("a target that cannot be written leaves the landing waiting, and says why", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const bench = await LandingBench.open(root, { works: [{ member: alice, edits: { b: "b\n" } }] });
  await writeFile(join(root, ".git", "refs", "heads", "troupe"), "in the way");

  expect(await bench.run()).toMatchObject([
    { state: "taken", reason: expect.stringContaining("git update-ref has failed") },
  ]);
});

/** What the person commits to the target without checking it out. */
async function commitToTarget(root: string, files: Readonly<Record<string, string>>) {
  const clone = `${root}-person`;
  await gitIn(root, "branch", "-f", target);
  await mkdir(clone, { recursive: true });
  await gitIn(clone, "clone", "-q", "-b", target, root, ".");
  await writeFiles(clone, files);
  await gitIn(clone, "add", "-A");
  await gitIn(clone, "commit", "-q", "-m", "person");
  await gitIn(clone, "push", "-q", "origin", target);
}
