import { mkdir, readdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directoryIn } from "../../src/checkouts/directory-in.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

test.each([
  ["out to a directory", "elsewhere", "away/new"],
  ["to nothing", "missing", "away"],
  ["to itself", "checkout/away", "away"],
])("P36 behind a link that leads %s nothing is made", async (_, target, path) => {
  await using directory = await temporaryDirectory();
  const checkout = join(directory.path, "checkout");
  for (const name of [checkout, join(directory.path, "elsewhere")]) await mkdir(name);
  await symlink(join(directory.path, target), join(checkout, "away"));
  const before = await readdir(directory.path, { recursive: true });

  expect(await directoryIn(checkout, path)).toBeUndefined();

  expect(await readdir(directory.path, { recursive: true })).toEqual(before);
});

test("directories are made, also behind a link that stays in the checkout, and a file is in the way", async () => {
  await using directory = await temporaryDirectory();
  const checkout = await realpath(directory.path);
  await mkdir(join(checkout, "real"));
  await symlink("real", join(checkout, "link"));
  await writeFile(join(checkout, "file"), "");

  expect(await directoryIn(checkout, ".")).toBe(checkout);
  expect(await directoryIn(checkout, "link/a/b")).toBe(join(checkout, "real/a/b"));
  expect(await directoryIn(checkout, "link/a/b")).toBe(join(checkout, "real/a/b"));
  expect(await directoryIn(checkout, "file")).toBeUndefined();
  expect(await directoryIn(checkout, "file/a")).toBeUndefined();
});
