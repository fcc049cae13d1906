import { chmod, link, readFile, rm, stat, symlink, utimes } from "node:fs/promises";
import { expect, test } from "vitest";
import { Scene } from "../workspace/fixture.ts";

const png = Buffer.from("89504e470d0a1a0a", "hex");

test("a new file is written, and its folders are created", async () => {
  await using scene = await Scene.open();
  const member = await scene.member();

  const output = await member.call("write_file", { path: "src/deep/a.ts", content: "grün\n" });

  expect(output).toEqual({ text: "Wrote 6 bytes to src/deep/a.ts", isError: false });
  expect(await readFile(scene.path("src/deep/a.ts"), "utf8")).toBe("grün\n");
});

test("P21 an existing file must be read before it is written", async () => {
  await using scene = await Scene.open({ "a.txt": "theirs" });
  const member = await scene.member();
  const write = () => member.text("write_file", { path: "a.txt", content: "mine" });

  expect(await write()).toBe(
    "Error: a.txt exists and you have not read it: read it first with read_file.",
  );
  expect(await readFile(scene.path("a.txt"), "utf8")).toBe("theirs");

  await member.call("read_file", { path: "a.txt" });
  expect(await write()).toBe("Wrote 4 bytes to a.txt");
});

test("P21 a file that changed since it was read is refused, and the change is shown", async () => {
  await using scene = await Scene.open({ "a.txt": "one\ntwo\nthree\n" });
  const member = await scene.member();
  await member.call("read_file", { path: "a.txt" });
  await scene.put("a.txt", "one\n2\nthree\n");

  const refused = await member.call("write_file", { path: "a.txt", content: "all mine" });

  expect(refused.isError).toBe(true);
  expect(refused.text).toBe(
    [
      "Error: a.txt has changed since you read it. Nothing was written. If your change is still right, adapt it and make it again.",
      "@@ -1 +1 @@",
      " one",
      "-two",
      "+2",
      " three",
      " ",
    ].join("\n"),
  );
  expect(await readFile(scene.path("a.txt"), "utf8")).toBe("one\n2\nthree\n");
  // The member has seen the whole change, and so what it writes is no accident.
  expect(await member.text("write_file", { path: "a.txt", content: "mine" })).toBe(
    "Wrote 4 bytes to a.txt",
  );
});

test("P21 a change too large to be shown must be read", async () => {
  await using scene = await Scene.open({ "a.txt": "short\n" });
  const member = await scene.member();
  const write = () => member.text("write_file", { path: "a.txt", content: "mine" });
  await member.call("read_file", { path: "a.txt" });
  await scene.put("a.txt", "another line\n".repeat(2500));

  expect(await write()).toContain(
    "Read it again with read_file first.\nIt had 2 lines and now has",
  );
  expect(await write()).toContain("has changed since you read it");
  await member.call("read_file", { path: "a.txt" });
  expect(await write()).toBe("Wrote 4 bytes to a.txt");
});

test("a file with only a new timestamp counts as unchanged", async () => {
  await using scene = await Scene.open({ "a.txt": "same" });
  const member = await scene.member();
  await member.call("read_file", { path: "a.txt" });
  await utimes(scene.path("a.txt"), new Date(), new Date(0));

  const text = await member.text("write_file", { path: "a.txt", content: "mine" });

  expect(text).toBe("Wrote 4 bytes to a.txt");
});

test("P21 a file that was deleted since is not created again by accident", async () => {
  await using scene = await Scene.open({ "a.txt": "text" });
  const member = await scene.member();
  const write = () => member.text("write_file", { path: "a.txt", content: "mine" });
  await member.call("read_file", { path: "a.txt" });
  await rm(scene.path("a.txt"));

  expect(await write()).toContain("was deleted since you read it");
  expect(await write()).toBe("Wrote 4 bytes to a.txt");
});

test("a member may overwrite its own file again", async () => {
  await using scene = await Scene.open();
  const member = await scene.member();
  await member.call("write_file", { path: "a.txt", content: "1" });

  expect(await member.text("write_file", { path: "a.txt", content: "22" })).toBe(
    "Wrote 2 bytes to a.txt",
  );
});

test("P21 when two members write one file at once, the second sees what the first wrote", async () => {
  await using scene = await Scene.open({ "a.txt": "start\n" });
  const members = [await scene.member(), await scene.member()];
  for (const member of members) await member.call("read_file", { path: "a.txt" });

  const outputs = await Promise.all(
    members.map((member, index) =>
      member.call("write_file", { path: "a.txt", content: `member ${index}\n` }),
    ),
  );

  const [winner, loser] = outputs[0]?.isError ? [1, 0] : [0, 1];
  expect(outputs[winner]?.isError).toBe(false);
  expect(outputs[loser]?.isError).toBe(true);
  expect(outputs[loser]?.text).toContain(`-start\n+member ${winner}`);
  expect(await readFile(scene.path("a.txt"), "utf8")).toBe(`member ${winner}\n`);
});

test("P21 when two members create one file at once, one of them does", async () => {
  await using scene = await Scene.open();
  const members = [await scene.member(), await scene.member()];

  const outputs = await Promise.all(
    members.map((member) => member.call("write_file", { path: "dir/new.txt", content: "text" })),
  );

  const refused = outputs.filter(({ isError }) => isError);
  expect(refused.map(({ text }) => text)).toEqual([
    expect.stringContaining("you have not read it"),
  ]);
});

test("permissions are kept, and a new file has the default ones", async () => {
  await using scene = await Scene.open({ "run.sh": "old", plain: "x" });
  await chmod(scene.path("run.sh"), 0o751);
  const member = await scene.member();
  await member.call("read_file", { path: "run.sh" });

  await member.call("write_file", { path: "run.sh", content: "new" });
  await member.call("write_file", { path: "new.txt", content: "new" });

  expect(await modeOf(scene.path("run.sh"))).toBe(0o751);
  expect(await modeOf(scene.path("new.txt"))).toBe(await modeOf(scene.path("plain")));
});

test("a link within the workspace is written through, and stays a link", async () => {
  await using scene = await Scene.open({ "real/a.txt": "old" });
  await symlink("real/a.txt", scene.path("link.txt"));
  await symlink("real/new.txt", scene.path("dangling.txt"));
  const member = await scene.member();
  await member.call("read_file", { path: "real/a.txt" });

  await member.call("write_file", { path: "link.txt", content: "new" });
  await member.call("write_file", { path: "dangling.txt", content: "made" });

  expect(await readFile(scene.path("real/a.txt"), "utf8")).toBe("new");
  expect(await readFile(scene.path("real/new.txt"), "utf8")).toBe("made");
});

test("a hard link to the same file keeps its old content", async () => {
  await using scene = await Scene.open({ "a.txt": "old" });
  await link(scene.path("a.txt"), scene.path("b.txt"));
  const member = await scene.member();
  await member.call("read_file", { path: "a.txt" });

  await member.call("write_file", { path: "a.txt", content: "new" });

  expect(await readFile(scene.path("b.txt"), "utf8")).toBe("old");
});

test("the byte order mark, which a model does not see, is kept", async () => {
  await using scene = await Scene.open({ "a.txt": "\uFEFFold" });
  const member = await scene.member();
  await member.call("read_file", { path: "a.txt" });

  await member.call("write_file", { path: "a.txt", content: "new" });

  expect(await readFile(scene.path("a.txt"), "utf8")).toBe("\uFEFFnew");
});

test.each([
  ["binary", Buffer.from("a\0b"), {}],
  ["UTF-16", Buffer.from("\uFEFFhi", "utf16le"), {}],
  ["an image too large to be shown", Buffer.concat([png, Buffer.alloc(4_000_000)]), {}],
  ["shorter than what was asked for", Buffer.from("one line"), { offset: 2 }],
])("P21 a file that is %s was not shown, and so cannot be written", async (_, content, lines) => {
  await using scene = await Scene.open({ data: content });
  const member = await scene.member();
  const refused = await member.call("read_file", { path: "data", ...lines });

  const output = await member.call("write_file", { path: "data", content: "x" });

  expect(refused.isError).toBe(true);
  expect(output).toMatchObject({ isError: true, text: expect.stringContaining("not read it") });
  expect(content.equals(await readFile(scene.path("data")))).toBe(true);
});

test.each([
  ["an image", png],
  ["empty", Buffer.of()],
])("control: a file that is %s and was shown can be written", async (_, content) => {
  await using scene = await Scene.open({ data: content });
  const member = await scene.member();
  await member.call("read_file", { path: "data" });

  expect(await member.text("write_file", { path: "data", content: "x" })).toMatch(/^Wrote/);
});

test.each([
  ["all lines end in CRLF", "one\r\ntwo\r\n", "1\n2\n", "1\r\n2\r\n"],
  ["there is a mark, too", "\uFEFFone\r\n", "1\n", "\uFEFF1\r\n"],
  ["the endings are mixed", "one\r\ntwo\n", "1\n2\n", "1\n2\n"],
  ["there is one line only", "one", "1\n", "1\n"],
  ["the new text has CRLF itself", "one\r\n", "1\r\n2\n", "1\r\n2\n"],
  ["all lines end in LF", "one\n", "1\n2\n", "1\n2\n"],
])("consistent line endings are kept: %s", async (_, before, content, after) => {
  await using scene = await Scene.open({ "a.txt": before });
  const member = await scene.member();
  await member.call("read_file", { path: "a.txt" });

  const text = await member.text("write_file", { path: "a.txt", content });

  expect(text).toBe(`Wrote ${Buffer.byteLength(after)} bytes to a.txt`);
  expect(await readFile(scene.path("a.txt"), "utf8")).toBe(after);
});

test("a file that cannot be written is an error with the reason", async () => {
  await using scene = await Scene.open({ "dir/a.txt": "a", large: Buffer.alloc(11_000_000) });
  const member = await scene.member();
  const write = (path: string) => member.text("write_file", { path, content: "x" });

  expect(await write("dir")).toMatch(/dir is a directory/);
  expect(await write(".")).toMatch(/is a directory/);
  expect(await write("dir/a.txt/b")).toMatch(/a part of the path is not a directory/);
  expect(await write("large")).toMatch(/too many for a file tool to change/);
  expect(await write("")).toBe("Error: The path is empty. Name a file.");
});

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
