import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import promises, {
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createFileOnce,
  ensurePrivateDirectory,
  moveAside,
  readTextIfExists,
  removeTemporaries,
  replaceFile,
} from "../../src/lib/files.ts";
import { openIfExists } from "../../src/lib/open-files.ts";
import { OwnDirectory } from "../../src/lib/own-directory.ts";
import { patchFs, systemError } from "../../src/testing/patched-fs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

test("of several writers that create a file at once, one does, and the file is whole", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "file");

  const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(1000));
  const created = await Promise.all(texts.map((text) => createFileOnce(path, text)));

  expect(created.filter(Boolean)).toHaveLength(1);
  expect(texts[created.indexOf(true)]).toBe(await readFile(path, "utf8"));
  expect(await readdir(directory.path)).toEqual(["file"]);
});

test("a pipe or a device in place of a file is refused, and does not block", async () => {
  await using directory = await temporaryDirectory();
  const pipe = join(directory.path, "pipe");
  const device = join(directory.path, "device");
  const file = join(directory.path, "file");
  execFileSync("mkfifo", [pipe]);
  await symlink("/dev/zero", device);
  await writeFile(file, "text");

  await expect(readTextIfExists(pipe)).rejects.toThrow("is a pipe or a device");
  await expect(openIfExists(pipe)).rejects.toThrow("is a pipe or a device");
  await expect(readTextIfExists(device)).rejects.toThrow("is a symbolic link");
  await expect(readTextIfExists(directory.path)).rejects.toThrow("EISDIR");
  expect(await readTextIfExists(file)).toBe("text");
  expect(await readTextIfExists(join(directory.path, "nothing"))).toBeUndefined();
});

test("a replacement that fails leaves the old file and no temporary one", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "file");
  await mkdir(path);

  await expect(replaceFile(path, "new")).rejects.toThrow();

  expect(await readdir(directory.path)).toEqual(["file"]);
});

test("files and directories are private, regardless of the umask", async () => {
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

test("only the leftovers of a dead writer are removed", async () => {
  await using directory = await temporaryDirectory();
  const unfinished = `cursor.${randomUUID()}.tmp`;
  const others = ["cursor", "my-notes.tmp", `${unfinished}.mine`];
  for (const name of [unfinished, ...others]) await writeFile(join(directory.path, name), "");
  const folder = `folder.${randomUUID()}.tmp`;
  await mkdir(join(directory.path, folder));

  await removeTemporaries(directory.path);

  expect((await readdir(directory.path)).sort()).toEqual([...others, folder].sort());
});

test("a dead writer is recognized by the name of its real leftovers", async () => {
  await using directory = await temporaryDirectory();
  {
    using _rename = patchFs(promises, { rename: () => Promise.reject(systemError("EIO")) });
    using _unlink = patchFs(fs, {
      unlinkSync: () => {
        throw systemError("EIO");
      },
    });
    await expect(replaceFile(join(directory.path, "file"), "new")).rejects.toThrow("EIO");
  }
  expect(await readdir(directory.path)).toHaveLength(1);

  await removeTemporaries(directory.path);

  expect(await readdir(directory.path)).toEqual([]);
});

test("recent files that may still be in use are kept", async () => {
  await using directory = await temporaryDirectory();
  const [old, young] = [`old.${randomUUID()}.tmp`, `young.${randomUUID()}.tmp`];
  for (const name of [old, young]) await writeFile(join(directory.path, name), "");
  await utimes(join(directory.path, old), 1_000, 1_000);
  await utimes(join(directory.path, young), 2_000, 2_000);

  await removeTemporaries(directory.path, new Date(2_000_000));

  expect(await readdir(directory.path)).toEqual([young]);
});

test("two files set aside at the same moment are both kept", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "file");
  const now = new Date(0);

  await writeFile(path, "one");
  const first = await moveAside(path, "damaged", now);
  await writeFile(path, "two");
  const second = await moveAside(path, "damaged", now);

  expect(await readFile(first ?? "", "utf8")).toBe("one");
  expect(await readFile(second ?? "", "utf8")).toBe("two");
  expect(await moveAside(path, "damaged", now)).toBeUndefined();
});

test("a directory below a held one that was deleted cannot be made, and nobody tries forever", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "held");
  await mkdir(path, { mode: 0o700 });
  using held = OwnDirectory.open(path);
  await rm(path, { recursive: true });

  await expect(ensurePrivateDirectory(held.to("records", ".versions"))).rejects.toMatchObject({
    code: "ENOENT",
  });
});
