import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readImages } from "../../src/team/prompt-images.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { gifOf, jpegOf, pngOf, webpOf } from "../support/images.ts";

const withSize = (bytes: number) => Buffer.concat([pngOf(2, 2), Buffer.alloc(bytes - 33)]);
const png = (data: Buffer) => ({ data, mediaType: "image/png" });

test("files and bytes become images, in their order", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "named-otherwise.txt");
  await writeFile(path, jpegOf(3, 2));
  const data = new Uint8Array(webpOf("VP8X", 3, 2));

  const images = await readImages([path, { data, mediaType: "image/webp" }, png(pngOf(1, 1))]);

  expect(images).toEqual([
    { type: "image/jpeg", content: jpegOf(3, 2) },
    { type: "image/webp", content: Buffer.from(data) },
    { type: "image/png", content: pngOf(1, 1) },
  ]);
});

test("a file is refused that is no image, is not there, is a directory or is too large", async () => {
  await using directory = await temporaryDirectory();
  const path = (name: string) => join(directory.path, name);
  await writeFile(path("notes.png"), "These are no pixels.");
  await writeFile(path("large.png"), withSize(3_750_001));
  await mkdir(path("pictures"));

  for (const [name, message] of [
    ["notes.png", "notes.png is not a PNG, JPEG, GIF or WebP"],
    ["large.png", "large.png has 3750001 bytes, and 3750000 are allowed"],
    ["missing.png", "cannot be read: ENOENT"],
    ["pictures", "pictures is not a file"],
  ] as const) {
    await expect(readImages([path(name)])).rejects.toMatchObject({
      code: "image-refused",
      message: expect.stringContaining(message),
      hint: expect.any(String),
    });
  }
});

test.each([
  ["Image 1 is image/gif, not image/png", [png(gifOf(1, 1))]],
  ["Image 2 is not a PNG, JPEG, GIF or WebP", [png(pngOf(1, 1)), png(Buffer.from("<svg/>"))]],
  ["Image 1 has 8001 × 1 pixels, and 8000 a side are allowed", [png(pngOf(8_001, 1))]],
  ["Image 1 has 1 × 8001 pixels, and 8000 a side are allowed", [png(pngOf(1, 8_001))]],
  ["Image 1 is damaged: it has no pixels", [png(pngOf(0, 1))]],
  ["Image 1 is damaged: it has no pixels", [png(pngOf(1, 0))]],
  ["Image 1 is damaged: it does not say how large", [png(pngOf(1, 1).subarray(0, 20))]],
  ["A prompt can have 20 images, not 21", Array.from({ length: 21 }, () => png(pngOf(1, 1)))],
  ["can have 10000000 bytes together, not 10500000", [1, 2, 3].map(() => png(withSize(3_500_000)))],
])("%s", async (message, images) => {
  await expect(readImages(images)).rejects.toMatchObject({
    code: "image-refused",
    message: expect.stringContaining(message),
  });
});

test("images of the largest size are taken", async () => {
  const images = [withSize(3_750_000), withSize(3_750_000), withSize(2_500_000)];

  expect(await readImages(images.map(png))).toHaveLength(3);
  expect(await readImages([png(pngOf(8_000, 8_000))])).toHaveLength(1);
  expect(await readImages(Array.from({ length: 20 }, () => png(pngOf(1, 1))))).toHaveLength(20);
});
