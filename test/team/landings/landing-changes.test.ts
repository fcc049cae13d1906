import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommitId, LandingId } from "../../../src/protocol/ids.ts";
import { findLandingChanges } from "../../../src/team/landings/landing-changes.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { landEdits } from "../../support/landed.ts";
import { alice, bob, LandingBench, target } from "../../support/landings.ts";
import { gitIn, makeRepository } from "../../support/repository.ts";

test("what others have landed since is not among the changes of a landing that waits", async () => {
  await using it = await openBench({ "a.txt": "a\n", "b.txt": "b\n" });
  await landEdits(it.bench.root, { "b.txt": "theirs\n" });
  await it.bench.take(alice, { "a.txt": "hers\n" });

  expect(await it.changesOf("1")).toEqual([["a.txt", "a\n", "hers\n"]]);
});

test("what a member has merged from the target is not its own change", async () => {
  await using it = await openBench({ "a.txt": "a\n", "b.txt": "b\n" });
  const tip = await landEdits(it.bench.root, { "b.txt": "theirs\n" });
  await it.bench.take(
    alice,
    { "a.txt": "hers\n", "b.txt": "theirs\n" },
    { parents: [it.bench.base, tip] },
  );

  expect(await it.changesOf("1")).toEqual([["a.txt", "a\n", "hers\n"]]);
});

test("before there is a target the changes are those since the checkout was made", async () => {
  await using it = await openBench({ "a.txt": "a\n" });
  await it.bench.take(alice, { "a.txt": "hers\n" });
  expect(await it.bench.tip()).toBeUndefined();

  expect(await it.changesOf("1")).toEqual([["a.txt", "a\n", "hers\n"]]);
});

test("after it has landed, and others after it, the changes of a landing are what it has changed there", async () => {
  await using it = await openBench({ "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n" });
  await it.bench.take(bob, { "a.txt": "1\n2\n3\n4\nbob\n" });
  await it.bench.take(alice, { "a.txt": "alice\n2\n3\n4\n5\n" });
  await it.bench.take(bob, { "b.txt": "later\n", "a.txt": "1\n2\n3\n4\nbob\n" });
  await it.bench.run();

  expect(await it.changesOf("2")).toEqual([
    ["a.txt", "1\n2\n3\n4\nbob\n", "alice\n2\n3\n4\nbob\n"],
  ]);
});

test("work without history in common with the target is compared with what its checkout began with", async () => {
  await using it = await openBench({ "a.txt": "a\n" });
  await it.bench.take(alice, { "a.txt": "hers\n" });
  const { root } = it.bench;
  const tree = await gitIn(root, "rev-parse", "HEAD^{tree}");
  const other = await gitIn(root, "commit-tree", tree, "-m", "unrelated");
  await gitIn(root, "update-ref", `refs/heads/${target}`, other);

  expect(await it.changesOf("1")).toEqual([["a.txt", "a\n", "hers\n"]]);
});

test("a new mode, a link, a submodule and a lost content are named, each with the reason", async () => {
  await using it = await openBench({ "run.sh": "#!/bin/sh\n", "lost.txt": "lost\n" });
  const { base, root } = it.bench;
  await it.bench.take(alice, {
    "run.sh": { content: "#!/bin/sh\n", mode: "100755" },
    link: { content: "run.sh", mode: "120000" },
    module: { content: base, mode: "160000" },
    "lost.txt": "found\n",
  });
  const object = await gitIn(root, "rev-parse", "HEAD:lost.txt");
  await rm(join(root, ".git/objects", object.slice(0, 2), object.slice(2)));

  const { files } = await it.find("1");

  expect(files.map(({ path, change, reason }) => [path, change, reason])).toEqual([
    ["link", "added", "a link"],
    ["lost.txt", "changed", "its content is missing"],
    ["module", "added", "a submodule"],
    ["run.sh", "changed", "mode 100644 becomes 100755"],
  ]);
  expect(files.every(({ texts, added, removed }) => !texts && added === 0 && removed === 0)).toBe(
    true,
  );
});

test("of very many files the first 500 are shown, and beyond 16 MiB they are only named", async () => {
  await using it = await openBench({ "a.txt": "a\n" });
  const large = Array.from({ length: 17 }, (_, index) => {
    return [`${10 + index}.txt`, `${index}`.padEnd(1024 * 1024)] as const;
  });
  await it.bench.take(bob, Object.fromEntries(large));
  const commit = await manyFiles(it.bench, 503);
  await it.bench.takeCommit(alice, { commit });

  const [first, second] = [await it.find("1"), await it.find("2")];

  expect([first.files.length, first.more]).toEqual([17, 0]);
  expect(first.files.flatMap(({ reason }) => reason ?? [])).toEqual(["too large to show"]);
  expect([second.files.length, second.more]).toEqual([500, 3]);
});

/** A commit of many files that have the same content. */
async function manyFiles(bench: LandingBench, count: number): Promise<CommitId> {
  const object = await bench.git.text(["hash-object", "-w", "--stdin"], { input: "x\n" });
  const index = join(bench.root, ".git", "work-index");
  const names = Array.from({ length: count }, (_, number) => `${number}.txt`);
  const lines = names.map((name) => `100644 ${object}\t${name}\0`).join("");
  await bench.git.text(["read-tree", bench.base], { index });
  await bench.git.text(["update-index", "-z", "--index-info"], { index, input: lines });
  const tree = await bench.git.text(["write-tree"], { index });
  return CommitId.parse(await gitIn(bench.root, "commit-tree", tree, "-p", bench.base, "-m", "x"));
}

async function openBench(files: Record<string, string>) {
  const directory = await temporaryDirectory();
  const bench = await LandingBench.open(await makeRepository(join(directory.path, "work"), files));
  const find = async (id: string) =>
    findLandingChanges(bench.git, await bench.landings.get(LandingId.parse(id)));
  return {
    bench,
    find,
    /** The path and both texts of each file. */
    async changesOf(id: string) {
      const { files: changed } = await find(id);
      return changed.map(({ path, texts }) => [path, texts?.before, texts?.after]);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
