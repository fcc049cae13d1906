import { expect, test } from "vitest";
import { SeenFiles } from "../../src/workspace/seen-files.ts";

const text = Buffer.from("text");
const megabyte = 1024 * 1024;

test("a file is compared with its recorded content", () => {
  const seen = new SeenFiles();

  expect(seen.compare("/a", undefined)).toEqual({ type: "known" });
  expect(seen.compare("/a", text)).toEqual({ type: "unread" });
  seen.note("/a", text);
  expect(seen.compare("/a", Buffer.from("text"))).toEqual({ type: "known" });
  expect(seen.compare("/a", Buffer.from("other"))).toEqual({ type: "changed", before: text });
  expect(seen.compare("/a", undefined)).toEqual({ type: "deleted" });
  seen.forget("/a");
  expect(seen.compare("/a", text)).toEqual({ type: "unread" });
});

test("P25 old contents are forgotten, and still every change is noticed", () => {
  const seen = new SeenFiles();
  for (let number = 0; number < 20; number++) seen.note(`/${number}`, Buffer.alloc(megabyte));

  expect(seen.compare("/0", text)).toEqual({ type: "changed", before: undefined });
  expect(seen.compare("/0", Buffer.alloc(megabyte))).toEqual({ type: "known" });
  expect(seen.compare("/19", text)).toMatchObject({ type: "changed", before: expect.anything() });
});

test("P25 if there are very many files, the oldest must be read again", () => {
  const seen = new SeenFiles();
  for (let number = 0; number < 10_001; number++) seen.note(`/${number}`, text);

  expect(seen.compare("/0", text)).toEqual({ type: "unread" });
  expect(seen.compare("/10000", text)).toEqual({ type: "known" });
});
