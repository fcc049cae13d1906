import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createFileOnce,
  ensurePrivateDirectory,
  removeTemporaries,
  replaceFile,
  setAside,
} from "../../src/lib/files.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

test("of several that create a file at once, one does, and the file is whole", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "file");

  const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(1000));
  const created = await Promise.all(texts.map((text) => createFileOnce(path, text)));

  expect(created.filter(Boolean)).toHaveLength(1);
  expect(texts[created.indexOf(true)]).toBe(await readFile(path, "utf8"));
  expect(await readdir(directory.path)).toEqual(["file"]);
});

test("a replacement that fails leaves the old file and no temporary one", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "file");
  await mkdir(path);

  await expect(replaceFile(path, "new")).rejects.toThrow();

  expect(await readdir(directory.path)).toEqual(["file"]);
});

test("files and directories are their owner's alone, whatever the umask", async () => {
  await using directory = await temporaryDirectory();
  const umask = process.umask(0o277);
  try {
    await ensurePrivateDirectory(join(directory.path, "made"));
    await replaceFile(join(directory.path, "made", "file"), "text");
  } finally {
    process.umask(umask);
  }

  expect((await stat(join(directory.path, "made"))).mode & 0o777).toBe(0o700);
  expect((await stat(join(directory.path, "made", "file"))).mode & 0o777).toBe(0o600);
});

test("what a dead writer left is removed, and nothing else", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "cursor.0190.tmp"), "");
  await writeFile(join(directory.path, "cursor"), "");

  await removeTemporaries(directory.path);

  expect(await readdir(directory.path)).toEqual(["cursor"]);
});

test("what is set aside twice in one moment is kept twice", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "file");
  const now = new Date(0);

  await writeFile(path, "one");
  const first = await setAside(path, "damaged", now);
  await writeFile(path, "two");
  const second = await setAside(path, "damaged", now);

  expect(await readFile(first ?? "", "utf8")).toBe("one");
  expect(await readFile(second ?? "", "utf8")).toBe("two");
  expect(await setAside(path, "damaged", now)).toBeUndefined();
});
