import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { alice, CheckoutBench } from "../support/checkouts.ts";
import { gitIn, writeFiles } from "../support/repository.ts";

const dayMs = 86_400_000;
const never = new AbortController().signal;

async function retired(path: string, files: Record<string, string>): Promise<CheckoutBench> {
  const bench = await CheckoutBench.make(path, { "a.txt": "a\n", ".gitignore": "*.log\n" });
  const { checkout } = await bench.make();
  await writeFiles(checkout.path, files);
  await bench.checkouts.retire(alice);
  return bench;
}

async function placeOf(bench: CheckoutBench) {
  const [record] = await bench.records.list();
  return record;
}

test("P27 a retired checkout is removed after the days that it is kept, and its work stays", async () => {
  await using directory = await temporaryDirectory();
  const bench = await retired(directory.path, { "new.txt": "new\n" });

  bench.clock.advance(7 * dayMs - 1);
  await bench.checkouts.removeOld(never);
  const before = await placeOf(bench);
  bench.clock.advance(1);
  await bench.checkouts.removeOld(never);

  expect(before?.state).toBe("retired");
  expect(await placeOf(bench)).toMatchObject({ state: "removed" });
  await expect(gitIn(before?.path ?? "", "status")).rejects.toThrow();
  const refs = await gitIn(bench.root, "for-each-ref", "--format=%(refname)", "refs/troupe");
  const kept = refs.split("\n").find((ref) => ref.endsWith("/alice/1"));
  expect(await gitIn(bench.root, "show", `${kept}:new.txt`)).toBe("new");
  expect(bench.warnings).toEqual([]);
});

test("a checkout that a member works in is never removed, however old", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path);
  await bench.make();

  bench.clock.advance(1_000 * dayMs);
  await bench.checkouts.removeOld(never);

  expect(await placeOf(bench)).toMatchObject({ state: "ready" });
  expect(bench.warnings).toEqual([]);
});

test("an old checkout whose work cannot be kept stays, and the person is told why", async () => {
  await using directory = await temporaryDirectory();
  const bench = await retired(directory.path, { "new.txt": "new\n" });
  const place = await placeOf(bench);
  await rm(join(place?.path ?? "", ".git"), { recursive: true });

  bench.clock.advance(8 * dayMs);
  await bench.checkouts.removeOld(never);

  expect(await placeOf(bench)).toMatchObject({ state: "retired" });
  expect(bench.warnings).toEqual([expect.stringContaining("its commits cannot be kept")]);
});

test("when a checkout is retired, the files are named that will be lost with it", async () => {
  await using directory = await temporaryDirectory();
  const bench = await retired(directory.path, { "x.log": "log\n", "new.txt": "new\n" });

  expect(bench.warnings).toEqual([
    "The checkout of 'alice' is retired. Its work is kept, but not what git ignores: x.log. It is removed after 7 days (checkouts-keep).",
  ]);
});
