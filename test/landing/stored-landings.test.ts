import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import type { LandingDraft } from "../../src/landing/landings.ts";
import { StoredLandings } from "../../src/landing/stored-landings.ts";
import { signRecord } from "../../src/lib/signed-record.ts";
import { CommitId, LandingId, MemberName } from "../../src/protocol/ids.ts";
import { testLandings } from "../../src/testing/conformance/landings.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const signature = hmacSignature(Buffer.alloc(32, 7));
const one = LandingId.parse("1");
const draft: LandingDraft = {
  member: MemberName.parse("alice"),
  ref: "refs/troupe/x/alice/1",
  commit: CommitId.parse("a".repeat(40)),
  base: CommitId.parse("b".repeat(40)),
  target: "troupe/default",
};

testLandings("StoredLandings in files", open);

test("a landing is a readable, signed file, and every version of it is kept", async () => {
  await using fixture = await open();
  const taken = await fixture.landings.take(draft);
  const discarded = await fixture.landings.move(taken, { state: "discarded" });

  const text = await readFile(join(fixture.path, "1.json"), "utf8");

  expect(text).toBe(`${JSON.stringify(signRecord(discarded, signature), null, 2)}\n`);
  expect((await readdir(join(fixture.path, ".versions", "1"))).sort()).toEqual([
    "1.json",
    "2.json",
  ]);
});

test("P37 an edited file changes no landing, and one that somebody brings is none", async () => {
  await using fixture = await open();
  const taken = await fixture.landings.take(draft);
  const path = join(fixture.path, "1.json");
  await writeFile(path, (await readFile(path, "utf8")).replace('"taken"', '"landed"'));
  const brought = { ...taken, id: "2", approved: true };
  await writeFile(join(fixture.path, "2.json"), JSON.stringify(brought));
  await mkdir(join(fixture.path, ".versions", "3"));
  await writeFile(join(fixture.path, ".versions", "3", "1.json"), JSON.stringify(brought));

  const reopened = await fixture.reopen();

  expect(await reopened.list()).toEqual([taken]);
  expect(fixture.problems).toEqual([expect.stringContaining("was not written by troupe")]);
  expect(await reopened.take({ ...draft, commit: CommitId.parse("c".repeat(40)) })).toMatchObject({
    id: "4",
  });
});

test("P37 of a landing whose newest version was forged, the newest that troupe wrote counts", async () => {
  await using fixture = await open();
  const taken = await fixture.landings.take(draft);
  const forged = { ...taken, state: "discarded", version: 2, sig: "0".repeat(64) };
  await writeFile(join(fixture.path, ".versions", "1", "2.json"), JSON.stringify(forged));

  const found = await (await fixture.reopen()).get(one);

  expect(found).toEqual({ ...taken, version: 2 });
  expect(await (await fixture.reopen()).move(found, { state: "landed" })).toMatchObject({
    ...{ state: "landed", version: 3 },
  });
});

test("control: with the key, the same file would count", async () => {
  await using fixture = await open();
  const taken = await fixture.landings.take(draft);
  const next = signRecord({ ...taken, state: "discarded", version: 2 }, signature);
  await writeFile(join(fixture.path, ".versions", "1", "2.json"), JSON.stringify(next));

  expect(await (await fixture.reopen()).get(one)).toMatchObject({ state: "discarded" });
});

test("a damaged record is reported once and hides no other", async () => {
  await using fixture = await open();
  const taken = await fixture.landings.take(draft);
  await mkdir(join(fixture.path, ".versions", "2"));
  await writeFile(join(fixture.path, ".versions", "2", "1.json"), "{");
  await writeFile(join(fixture.path, "notes.json"), "mine");

  expect(await fixture.landings.list()).toEqual([taken]);
  expect(await fixture.landings.list()).toEqual([taken]);
  expect(fixture.problems).toEqual([expect.stringContaining("1.json:1:2 is not JSON")]);
});

async function open() {
  const directory = await temporaryDirectory();
  const clock = new ManualClock();
  const problems: string[] = [];
  const onDamage = (problem: string) => void problems.push(problem);
  const openLandings = () =>
    StoredLandings.inFiles({ directory: directory.path, clock, signature, onDamage });
  return {
    path: directory.path,
    problems,
    clock,
    landings: openLandings(),
    reopen: async () => openLandings(),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
