import { expect, test } from "vitest";
import { imageSizeOf, imageTypeOf } from "../../src/lib/image.ts";
import { gifOf, jpegOf, pngOf, webpOf } from "../support/images.ts";
import { pixel } from "../support/pixel.ts";

test("a picture that a program made is recognised, with its size", () => {
  const image = Buffer.from(pixel.data, "base64");

  expect(imageTypeOf(image)).toBe("image/png");
  expect(imageSizeOf(image, "image/png")).toEqual([1, 1]);
});

test.each([
  ["image/png", pngOf(300, 200)],
  ["image/gif", gifOf(300, 200)],
  ["image/jpeg", jpegOf(300, 200)],
  ["image/webp", webpOf("VP8X", 300, 200)],
  ["image/webp", webpOf("VP8L", 300, 200)],
  ["image/webp", webpOf("VP8 ", 300, 200)],
] as const)("an %s says how large it is", (type, image) => {
  expect(imageTypeOf(image)).toBe(type);
  expect(imageSizeOf(image, type)).toEqual([300, 200]);
});

test("the size of a JPEG is found behind other segments and fill bytes", () => {
  const image = jpegOf(300, 200);
  const comment = Buffer.from([0xff, 0xfe, 0, 4, 0xff, 0xc0]);
  const more = Buffer.concat([
    image.subarray(0, 2),
    comment,
    Buffer.from([0xff]),
    image.subarray(2),
  ]);

  expect(imageSizeOf(more, "image/jpeg")).toEqual([300, 200]);
});

test.each([
  ["image/png", pngOf(300, 200)],
  ["image/gif", gifOf(300, 200)],
  ["image/jpeg", jpegOf(300, 200)],
  ["image/webp", webpOf("VP8X", 300, 200)],
] as const)("an %s that is cut off has no size", (type, image) => {
  for (let length = 0; length < 9; length++) {
    expect(imageSizeOf(image.subarray(0, length), type)).toBeUndefined();
  }
});
