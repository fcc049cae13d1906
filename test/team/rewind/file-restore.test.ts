import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRestoredFiles } from "../../support/restored-files.ts";

const changed = "something else has changed it since";

test("P39 after a rewind that undid two changes of a file, an earlier one finds it as that left it", async () => {
  await using it = await openRestoredFiles();
  await it.write("a.txt", "first");
  const early = it.moment();
  await it.write("a.txt", "one");
  const late = it.moment();
  await it.write("a.txt", "two");
  await it.write("a.txt", "three");
  await it.restore(late);
  expect(await it.read("a.txt")).toBe("one");

  expect(await it.preview(early)).toEqual([{ path: it.path("a.txt"), action: "restore" }]);
  await it.restore(early);

  expect(await it.read("a.txt")).toBe("first");
});

test("P39 what the person agreed to lose is no problem for an earlier rewind", async () => {
  await using it = await openRestoredFiles();
  const early = it.moment();
  await it.write("a.txt", "one");
  const late = it.moment();
  await it.write("a.txt", "two");
  await writeFile(it.path("a.txt"), "by somebody else");
  expect(await it.preview(late)).toMatchObject([{ problem: changed }]);
  await it.restore(late, () => true);

  expect(await it.preview(early)).toEqual([{ path: it.path("a.txt"), action: "remove" }]);
});

test("P39 what somebody else changed before a rewind, and it left, is a problem for an earlier one", async () => {
  await using it = await openRestoredFiles();
  const early = it.moment();
  await it.write("a.txt", "one");
  await writeFile(it.path("a.txt"), "by somebody else");
  const late = it.moment();
  await it.write("a.txt", "two");
  await it.restore(late);
  expect(await it.read("a.txt")).toBe("by somebody else");

  expect(await it.preview(early)).toMatchObject([{ problem: changed }]);
});

test("P39 a rewind of the files alone can be taken back, to a later prompt", async () => {
  await using it = await openRestoredFiles();
  const early = it.moment();
  await it.write("a.txt", "one");
  await it.write("b.txt", "two");
  const late = it.moment();
  await it.restore(early);
  expect(await it.read("a.txt")).toBeUndefined();

  expect(await it.preview(late)).toEqual([
    { path: it.path("a.txt"), action: "restore" },
    { path: it.path("b.txt"), action: "restore" },
  ]);
  await it.restore(late);

  expect([await it.read("a.txt"), await it.read("b.txt")]).toEqual(["one", "two"]);
});

test("P39 a file is left where the content that it had is among what was dropped", async () => {
  await using it = await openRestoredFiles({ changes: 4, bytes: 1_000 });
  await it.write("a.txt", "at the prompt");
  const moment = it.moment();
  for (let number = 0; number < 20; number++) await it.write("a.txt", `later ${number}`);

  const [effect] = await it.preview(moment);
  await it.restore(moment, () => true);

  const problem = "its content at that time is no longer known";
  expect(effect).toEqual({ path: it.path("a.txt"), action: "leave", problem });
  expect(await it.isIncomplete(moment)).toBe(true);
  expect(await it.read("a.txt")).toBe("later 19");
});

test("a file whose directory is gone is made again only where that is confirmed", async () => {
  await using it = await openRestoredFiles();
  await it.write("inner/a.txt", "one");
  const moment = it.moment();
  await it.write("inner/a.txt", "two");
  await rm(join(it.root, "inner"), { recursive: true });

  expect(await it.preview(moment)).toMatchObject([{ action: "restore", problem: changed }]);
  await it.restore(moment);
  expect(await it.read("inner/a.txt")).toBeUndefined();
  await it.restore(moment, () => true);

  expect(await it.read("inner/a.txt")).toBe("one");
});

test.each([
  ["the directory of a file", "inner", "inner/a.txt"],
  ["a file", "a.txt", "a.txt"],
])(
  "P36 where %s has become a link out of the workspace, nothing there is restored",
  async (_, linked, name) => {
    await using it = await openRestoredFiles();
    await it.write(name, "one");
    const moment = it.moment();
    await it.write(name, "two");
    const elsewhere = join(it.root, "..", "elsewhere");
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, "a.txt"), "two");
    await rm(it.path(linked), { recursive: true });
    await symlink(linked === name ? join(elsewhere, "a.txt") : elsewhere, it.path(linked));

    await it.restore(moment, () => true);

    expect(await readFile(join(elsewhere, "a.txt"), "utf8")).toBe("two");
  },
);

test("P39 a file that is as it was at the prompt is not among those that change", async () => {
  await using it = await openRestoredFiles();
  await it.write("a.txt", "one");
  const moment = it.moment();
  await it.write("a.txt", "two");
  await it.write("a.txt", "one");
  await it.write("b.txt", "new");

  const effects = await it.preview(moment);

  expect(effects.map(({ path, action }) => [path, action])).toEqual([[it.path("b.txt"), "remove"]]);
});
