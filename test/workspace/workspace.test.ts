import { mkdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Scene } from "./fixture.ts";

test("a path is relative to the member's directory, and its place to the root", async () => {
  await using scene = await Scene.open({ "src/a.ts": "" });
  const workspace = await scene.workspace({ cwd: "src" });

  expect(await workspace.locate("a.ts")).toEqual({
    real: scene.path("src/a.ts"),
    isInside: true,
    relative: "src/a.ts",
  });
  expect(await workspace.locate("..")).toMatchObject({ isInside: true, relative: "." });
  expect(await workspace.locate("~/x")).toMatchObject({ relative: "src/~/x" });
  expect(await workspace.locate("../../proj-evil")).toEqual({
    real: join(scene.around, "proj-evil"),
    isInside: false,
    relative: undefined,
  });
});

test("every link counts, also in paths that do not exist yet", async () => {
  await using scene = await Scene.open({ "real/a.txt": "" });
  await symlink("real", scene.path("inner"));
  await symlink(scene.around, scene.path("outer"));
  await symlink("inner/new/b.txt", scene.path("dangling"));
  await symlink("outer/new.txt", scene.path("dangling-out"));
  const workspace = await scene.workspace();

  expect(await workspace.locate("inner/a.txt")).toMatchObject({ relative: "real/a.txt" });
  expect(await workspace.locate("inner/no/b")).toMatchObject({ relative: "real/no/b" });
  expect(await workspace.locate("dangling")).toMatchObject({ relative: "real/new/b.txt" });
  expect(await workspace.locate("outer/x")).toMatchObject({ isInside: false });
  expect(await workspace.locate("dangling-out")).toMatchObject({
    isInside: false,
    real: join(scene.around, "new.txt"),
  });
});

test("a workspace behind a link has its real path", async () => {
  await using scene = await Scene.open({ "a.txt": "text" });
  await symlink(scene.root, join(scene.around, "alias"));
  const alias = join(scene.around, "alias");
  const member = await scene.member({ root: alias, teamDirectory: join(alias, ".team") });

  expect(await member.text("read_file", { path: join(alias, "a.txt") })).toBe("text");
  expect(await member.text("write_file", { path: ".team/x", content: "" })).toContain("team's own");
});

test("a directory outside cannot be a member's", async () => {
  await using scene = await Scene.open();

  await expect(scene.workspace({ cwd: ".." })).rejects.toMatchObject({ code: "path-refused" });
});

test.each([
  ["nothing", "", "The path is empty"],
  ["a NUL", "a\0b", "The path contains a NUL"],
  ["too much", "x/".repeat(3000), "The path has more than 4096 bytes"],
])("a path of %s is refused", async (_, path, message) => {
  await using scene = await Scene.open();
  const workspace = await scene.workspace();

  await expect(workspace.locate(path)).rejects.toMatchObject({ code: "path-refused", message });
});

test("without /proc the tools do the same", async () => {
  await using scene = await Scene.open({ "src/a.txt": "one\n", "../out/secret": "secret" });
  await symlink("../out", scene.path("out"));
  const member = await scene.member({ entersDescriptors: false });

  expect(await member.text("read_file", { path: "src/a.txt" })).toBe("one\n");
  const edit = { path: "src/a.txt", old_text: "one", new_text: "two" };
  expect(await member.text("edit_file", edit)).toBe("Edited src/a.txt");
  const write = { path: "src/new/b.txt", content: "two\n" };
  expect(await member.text("write_file", write)).toBe("Wrote 4 bytes to src/new/b.txt");
  expect(await member.text("grep", { pattern: "two" })).toBe(
    "src/a.txt:1:two\nsrc/new/b.txt:1:two",
  );
  expect(await member.text("glob", { pattern: "*.txt" })).toBe("src/a.txt\nsrc/new/b.txt");
  expect(await member.text("read_file", { path: "out/secret" })).toContain("outside");
});

test("a held directory stays the same, even if another takes its path", async () => {
  await using scene = await Scene.open({ "dir/a.txt": "mine", "other/a.txt": "other" });
  const workspace = await scene.workspace();
  const area = await workspace.openSearch("dir");
  await using directory = area?.directory;
  const weak = await scene.workspace({ entersDescriptors: false });
  await using weakDirectory = (await weak.openSearch("dir"))?.directory;
  await replaceByLink(scene);

  await using file = await directory?.openFile("a.txt", 0);
  expect(await file?.readFile("utf8")).toBe("mine");
  await expect(weakDirectory?.openFile("a.txt", 0)).rejects.toMatchObject({ code: "path-refused" });
});

async function replaceByLink(scene: Scene): Promise<void> {
  await mkdir(scene.path("aside"));
  await rename(scene.path("dir"), scene.path("aside/dir"));
  await symlink("other", scene.path("dir"));
}
