import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import type { OpenGit } from "../../src/checkouts/own-repository.ts";
import { Git } from "../../src/git/git.ts";
import { Programs } from "../../src/processes/programs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { alice, CheckoutBench } from "../support/checkouts.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";
import { pictureOf } from "../support/landings.ts";
import { gitEnvironment, gitIn } from "../support/repository.ts";

test("P26 P27 a checkout that a process dies in making is whole after the next start, or not there at all", async () => {
  const { deaths, violations } = await sweep({ recovers: true });

  expect(violations).toEqual([]);
  expect(deaths).toBeGreaterThan(4);
});

test("control: without anything that brings it in order at the next start, a half-made one is left", async () => {
  const { violations } = await sweep({ recovers: false });

  expect(violations).toContainEqual(expect.stringContaining("there is left"));
});

/** Dies at every second change of the disk, until the making gets by or something is wrong. */
async function sweep(next: { recovers: boolean }) {
  using faulty = await FaultyFileSystem.install();
  for (let at = 1; ; at += 2) {
    const { isHit, found } = await dieAt(faulty, at, next);
    const violations = found.map((each) => `died at change ${at}: ${each}`);
    if (!isHit || violations.length > 0) return { deaths: (at - 1) / 2, violations };
  }
}

/** Dies at the change of the disk with this number; git itself does what it was started for before. */
async function dieAt(faulty: FaultyFileSystem, at: number, { recovers }: { recovers: boolean }) {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path, {
    ...{ "a.txt": "a\n", ".gitignore": ".env\n", ".worktreeinclude": ".env\n" },
  });
  const before = await pictureOf(bench.root);
  const programs = new Programs({ path: process.env.PATH, workspace: bench.root });
  const openGit: OpenGit = async (options) => {
    faulty.assertAlive();
    return await Git.open({ ...options, env: gitEnvironment, programs });
  };
  const dying = bench.open({ openGit });
  const { hit } = await faulty.run({ type: "crash", at, writtenShare: 0.5 }, async () => {
    await bench.make(dying);
  });

  const next = bench.open();
  const listed = await next.list();
  const ready = listed.filter(({ state }) => state === "ready");
  if (recovers) await next.recover(new Map(ready.map(({ id, path }) => [id, path])));
  const found: string[] = [];
  for (const { path } of ready) {
    const status = await gitIn(path, "status", "--porcelain").catch(String);
    if (status !== "") found.push(`a checkout that is ready has ${status}`);
  }
  const left = await readdir(bench.directory).catch(() => []);
  if (ready.length === 0 && left.length > 0) found.push(`there is left: ${left}`);
  const { checkout } = await bench.make(next);
  const status = await gitIn(checkout.path, "status", "--porcelain");
  if (status !== "") found.push(`the next checkout has ${status}`);
  if ((await next.keep(alice)) !== undefined) found.push("an unchanged checkout has changes");
  if (JSON.stringify(await pictureOf(bench.root)) !== JSON.stringify(before)) {
    found.push("the person's directory has changed");
  }
  return { isHit: hit !== undefined, found };
}
