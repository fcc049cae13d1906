import { readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hashOf } from "../../src/lib/content-file.ts";
import { ImageFiles } from "../../src/team/image-files.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { pngOf } from "../support/images.ts";

const image = (width: number) => ({ type: "image/png" as const, content: pngOf(width, 1) });

test("an image is kept once, in a private file that is named after its hash, and read back", async () => {
  await using directory = await temporaryDirectory();
  const files = new ImageFiles(join(directory.path, "images"));

  const [one, two] = await files.keep([image(1), image(1)]);

  const sha256 = hashOf(pngOf(1, 1));
  expect(one).toEqual({ media_type: "image/png", sha256, bytes: 33 });
  expect(two).toEqual(one);
  expect(await readdir(join(directory.path, "images"))).toEqual([sha256]);
  expect((await stat(join(directory.path, "images", sha256))).mode & 0o777).toBe(0o600);
  const data = pngOf(1, 1).toString("base64");
  expect(one && files.read(one)).toEqual({ media_type: "image/png", data });
});

test("a file that was changed is not shown, and is whole again once the image is kept again", async () => {
  await using directory = await temporaryDirectory();
  const files = new ImageFiles(directory.path);
  const [kept] = await files.keep([image(1)]);
  if (!kept) throw new Error("Nothing was kept");
  await writeFile(join(directory.path, kept.sha256), pngOf(2, 2));

  expect(files.read(kept)).toBeUndefined();
  await files.keep([image(1)]);

  expect(files.read(kept)).toBeDefined();
});

test("P25 the files are bounded: the oldest are removed, and one that was used again is not old", async () => {
  await using directory = await temporaryDirectory();
  const files = new ImageFiles(directory.path, { maxBytes: 3 * 33 });
  const [one] = await files.keep([image(1)]);
  const [two] = await files.keep([image(2)]);
  if (!one || !two) throw new Error("Nothing was kept");
  for (const { sha256 } of [one, two]) await utimes(join(directory.path, sha256), 1, 1);
  await files.keep([image(1)]);

  await files.keep([image(3), image(4)]);

  expect(files.read(one)).toBeDefined();
  expect(files.read(two)).toBeUndefined();
  expect(await readdir(directory.path)).toHaveLength(3);
});
