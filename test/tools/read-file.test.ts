import { execFile } from "node:child_process";
import { open, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Scene } from "../workspace/fixture.ts";

test("a text file is shown unchanged", async () => {
  await using scene = await Scene.open({ "src/a.ts": "one\r\ntwo\n" });
  const member = await scene.member();

  expect(await member.call("read_file", { path: "src/a.ts" })).toEqual({
    text: "one\r\ntwo\n",
    isError: false,
  });
});

test("offset and limit choose lines, with the number of the rest", async () => {
  await using scene = await Scene.open({ "a.txt": "1\n2\n3\n4\n5" });
  const member = await scene.member();
  const read = (lines: object) => member.text("read_file", { path: "a.txt", ...lines });

  expect(await read({ offset: 2, limit: 2 })).toBe("2\n3\n... (2 more)");
  expect(await read({ offset: 4 })).toBe("4\n5");
  expect(await read({ limit: 4 })).toBe("1\n2\n3\n4\n... (1 more)");
  expect(await read({ offset: 6 })).toBe("Error: a.txt has only 5 lines.");
});

test("P25 a long file is shown in parts that fit and together are complete", async () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index} ${"x".repeat(40)}\n`);
  await using scene = await Scene.open({ "long.txt": lines.join("") });
  const member = await scene.member();

  let seen = "";
  for (let offset = 1; offset <= lines.length; ) {
    const text = await member.text("read_file", { path: "long.txt", offset });
    expect(text.length).toBeLessThanOrEqual(50_000);
    const part = text.replace(/\.\.\. \(\d+ more\)$/, "");
    offset += part.split("\n").length - 1;
    seen += part;
  }

  expect(seen).toBe(lines.join(""));
});

test("P25 an endless line is cut, with the number of the rest", async () => {
  await using scene = await Scene.open({ "bundle.js": `${"ü".repeat(300_000)}\nlast\n` });
  const member = await scene.member();

  const text = await member.text("read_file", { path: "bundle.js" });

  expect(text).toBe(`${"ü".repeat(10_000)} ... (580000 more bytes in this line)\nlast\n`);
});

test("P25 a large text is read in parts, and lines far after it are not counted", async () => {
  await using scene = await Scene.open();
  {
    await using file = await open(scene.path("large.log"), "w");
    const block = Buffer.from(`${"x".repeat(999)}\n`.repeat(10_000));
    for (let blocks = 0; blocks < 8; blocks++) await file.write(block);
  }
  const member = await scene.member();
  const read = (lines: object) => member.text("read_file", { path: "large.log", ...lines });

  expect(await read({ limit: 1 })).toMatch(/^x{999}\n\.\.\. \(at least 6\d{4} more\)$/);
  expect(await read({ offset: 79_999 })).toBe(`${"x".repeat(999)}\n`.repeat(2));
});

test("reading a large file ends when the call is stopped", async () => {
  await using scene = await Scene.open({ "large.log": "line\n".repeat(3_000_000) });
  const member = await scene.member();

  const call = member.call("read_file", { path: "large.log" }, AbortSignal.abort());

  expect(await call).toEqual({ text: "Error: Reading large.log was stopped.", isError: true });
});

test("an image is returned as an image", async () => {
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  await using scene = await Scene.open({ "shot.png": png });
  const member = await scene.member();

  expect(await member.call("read_file", { path: "shot.png" })).toEqual({
    text: "Image shot.png (image/png, 16 bytes)",
    isError: false,
    images: [{ media_type: "image/png", data: png.toString("base64") }],
  });
});

test.each([
  ["ffd8ffe000104a464946", "image/jpeg"],
  ["47494638396101000100", "image/gif"],
  ["524946460a000000574542505650", "image/webp"],
])("an image is recognized by its first bytes: %s is %s", async (hex, type) => {
  await using scene = await Scene.open({ picture: Buffer.from(hex, "hex") });
  const member = await scene.member();

  expect(await member.text("read_file", { path: "picture" })).toContain(type);
});

test("an image that no provider accepts is refused", async () => {
  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(4_000_000)]);
  await using scene = await Scene.open({ "big.png": png });
  const member = await scene.member();

  expect(await member.call("read_file", { path: "big.png" })).toMatchObject({
    isError: true,
    text: "Error: Image big.png (image/png, 4000008 bytes) is too large to be shown. Make it smaller first.",
  });
});

test.each([
  ["NULs", Buffer.from("ab\0cd"), "is a binary file (5 bytes)"],
  ["invalid UTF-8", Buffer.from("caf\xe9 au lait", "latin1"), "is a binary file (12 bytes)"],
  ["UTF-16", Buffer.from("\uFEFFhi", "utf16le"), "is UTF-16 text (6 bytes)"],
])("a file with %s is reported as such", async (_, content, told) => {
  await using scene = await Scene.open({ file: content });
  const member = await scene.member();

  const output = await member.call("read_file", { path: "file" });

  expect(output).toMatchObject({ isError: true, text: expect.stringContaining(told) });
});

test("a character that is split by the probe does not make a text binary", async () => {
  const text = `${"x".repeat(8191)}ü`;
  await using scene = await Scene.open({ "a.txt": text });
  const member = await scene.member();

  expect(await member.text("read_file", { path: "a.txt" })).toBe(text);
});

test("the byte order mark is not shown", async () => {
  await using scene = await Scene.open({ "a.txt": "\uFEFFtext" });
  const member = await scene.member();

  expect(await member.text("read_file", { path: "a.txt" })).toBe("text");
});

test("an unreadable file is an error with a hint", async () => {
  await using scene = await Scene.open({ empty: "", "dir/a.txt": "a" });
  const member = await scene.member();
  const read = (path: string) => member.text("read_file", { path });

  expect(await read("empty")).toBe("(empty is empty)");
  expect(await read("missing")).toBe("Error: missing does not exist. Look for it with glob.");
  expect(await read("no/such/file")).toMatch(/does not exist/);
  expect(await read("dir")).toMatch(/dir is a directory. List what is in it with glob.$/);
  expect(await read("dir/a.txt/b")).toMatch(/a part of the path is not a directory/);
  expect(await read(join("dir", "n".repeat(300)))).toMatch(/too long a name/);
});

test("a pipe is refused, and does not block", async () => {
  await using scene = await Scene.open();
  await promisify(execFile)("mkfifo", [scene.path("pipe")]);
  const member = await scene.member();

  expect(await member.text("read_file", { path: "pipe" })).toContain("is a device, a pipe");
  expect(await member.text("write_file", { path: "pipe", content: "" })).toContain("a pipe");
  expect(await member.text("grep", { path: "pipe", pattern: "." })).toContain("Error");
});

test("a link to itself is refused", async () => {
  await using scene = await Scene.open();
  await symlink("loop", scene.path("loop"));
  const member = await scene.member();

  expect(await member.text("read_file", { path: "loop" })).toMatch(
    /is a link that leads to itself$/,
  );
});

test("the team's files can be read, also if they are elsewhere", async () => {
  await using scene = await Scene.open({ ".team/outputs/1.txt": "whole" });
  await scene.put("../elsewhere/outputs/2.txt", "other");
  const inside = await scene.member();
  const elsewhere = await scene.member({ teamDirectory: join(scene.around, "elsewhere") });

  expect(await inside.text("read_file", { path: ".team/outputs/1.txt" })).toBe("whole");
  const path = join(scene.around, "elsewhere/outputs/2.txt");
  expect(await elsewhere.text("read_file", { path })).toBe("other");
  expect(await inside.text("read_file", { path })).toContain("outside the workspace");
});
