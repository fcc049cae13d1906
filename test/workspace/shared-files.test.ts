import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MemberName } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { SharedFiles } from "../../src/workspace/shared-files.ts";

const alice = MemberName.parse("alice");
const bob = MemberName.parse("bob");
const carol = MemberName.parse("carol");

async function stage() {
  const directory = await temporaryDirectory();
  const root = directory.path;
  const shared = new SharedFiles();
  for (const name of [alice, bob]) shared.join(name, root);
  const file = (name: string) => join(root, name);
  await writeFile(file("a.txt"), "a");
  return { directory, root, shared, file };
}

test("a file of another member that a command changes or removes is named once, until it is read again", async () => {
  const { directory, shared, file } = await stage();
  await using _ = directory;
  await writeFile(file("b.txt"), "b");
  for (const name of ["a.txt", "b.txt"]) shared.touch(bob, file(name));

  const first = await shared.beforeCommand(alice);
  await writeFile(file("a.txt"), "changed");
  await rm(file("b.txt"));
  expect(await first()).toEqual(
    expect.arrayContaining([
      { path: "a.txt", member: bob },
      { path: "b.txt", member: bob },
    ]),
  );

  const again = await shared.beforeCommand(alice);
  await writeFile(file("a.txt"), "changed once more");
  expect(await again()).toEqual([]);

  shared.touch(bob, file("a.txt"));
  const third = await shared.beforeCommand(alice);
  await writeFile(file("a.txt"), "a third time");
  expect(await third()).toEqual([{ path: "a.txt", member: bob }]);
});

test("what did not change, what a tool has changed meanwhile, and files of an earlier run are not named", async () => {
  const { directory, shared, file } = await stage();
  await using _ = directory;
  shared.touch(bob, file("a.txt"));

  const unchanged = await shared.beforeCommand(alice);
  expect(await unchanged()).toEqual([]);

  const beside = await shared.beforeCommand(alice);
  await writeFile(file("a.txt"), "bob's own");
  shared.touch(bob, file("a.txt"));
  expect(await beside()).toEqual([]);

  shared.endRun(bob);
  const later = await shared.beforeCommand(alice);
  await writeFile(file("a.txt"), "after bob's run");
  expect(await later()).toEqual([]);
});

test("a directory is shared with who works in it, around it or below it, and with nobody else", async () => {
  const { directory, root, shared, file } = await stage();
  await using _ = directory;
  expect(shared.isShared(alice)).toBe(true);

  shared.leave(bob);
  expect(shared.isShared(alice)).toBe(false);

  await mkdir(file("below"));
  shared.join(carol, file("below"));
  expect([shared.isShared(alice), shared.isShared(carol)]).toEqual([true, true]);
  shared.touch(carol, join(root, "below", "c.txt"));
  const changed = await shared.beforeCommand(alice);
  await writeFile(join(root, "below", "c.txt"), "c");
  expect(await changed()).toEqual([{ path: "c.txt", member: carol }]);

  shared.join(carol, `${root}-elsewhere`);
  expect(shared.isShared(alice)).toBe(false);
});

test("of many files, the last 256 are looked at", async () => {
  const { directory, shared, file } = await stage();
  await using _ = directory;
  shared.touch(bob, file("a.txt"));
  for (let index = 0; index < 255; index++) shared.touch(bob, file(`${index}.txt`));

  const known = await shared.beforeCommand(alice);
  await writeFile(file("a.txt"), "1");
  expect(await known()).toEqual([{ path: "a.txt", member: bob }]);

  shared.touch(bob, file("a.txt"));
  for (let index = 0; index < 256; index++) shared.touch(bob, file(`${index}.txt`));
  const forgotten = await shared.beforeCommand(alice);
  await writeFile(file("a.txt"), "22");
  expect(await forgotten()).toEqual([]);
});
