import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attachMentions } from "../../../src/cli/talk/mentions.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { pngOf } from "../../support/images.ts";

/** A workspace with some files, beside a file that is not in it. */
async function workspace() {
  const directory = await temporaryDirectory();
  const path = join(directory.path, "work");
  await mkdir(join(path, "src"), { recursive: true });
  await writeFile(join(path, "src", "a.ts"), "one\ntwo\nthree\n");
  await writeFile(join(path, "src", "my notes.md"), "a note");
  await writeFile(join(path, "shot.png"), pngOf(40, 30));
  await writeFile(join(path, "binary"), Buffer.of(0, 1, 2, 3));
  await writeFile(join(path, "large.txt"), "a line of the file\n".repeat(10_000));
  await writeFile(join(directory.path, "outside.txt"), "not in the workspace");
  await symlink("../outside.txt", join(path, "link.txt"));
  return Object.assign(directory, { workspace: path });
}

const whole = '<file path="src/a.ts">\none\ntwo\nthree\n</file>';

test.each([
  ["a file", "see @src/a.ts now", [whole]],
  ["a file at the end of a sentence", "Look at @src/a.ts.", [whole]],
  ["a file in brackets", "Look (@src/a.ts)", [whole]],
  ["a file twice", "@src/a.ts and @src/a.ts", [whole]],
  ["a line", "@src/a.ts:2", ['<file path="src/a.ts" lines="2-2">\ntwo\n</file>']],
  ["some lines", "@src/a.ts:2-3", ['<file path="src/a.ts" lines="2-3">\ntwo\nthree\n</file>']],
  ["lines past the end", "@src/a.ts:3-9", ['<file path="src/a.ts" lines="3-3">\nthree\n</file>']],
  [
    "lines as in a link",
    "@src/a.ts#L1-L2",
    ['<file path="src/a.ts" lines="1-2">\none\ntwo\n</file>'],
  ],
  [
    "a path with a space",
    'see @"src/my notes.md"',
    ['<file path="src/my notes.md">\na note\n</file>'],
  ],
  ["a directory", "what is in @src", ['<directory path="src">\na.ts\nmy notes.md\n</directory>']],
  [
    "some lines of a large file",
    "@large.txt:9999",
    ['<file path="large.txt" lines="9999-9999">\na line of the file\n</file>'],
  ],
])("%s is attached", async (_, text, blocks) => {
  await using directory = await workspace();
  const { content } = await attachMentions(text, directory.workspace);
  expect(content).toBe([text, ...blocks].join("\n\n"));
});

test("an image is attached as an image, and not as text", async () => {
  await using directory = await workspace();
  const text = "Compare @shot.png with @src/a.ts, and @shot.png.";

  expect(await attachMentions(text, directory.workspace)).toEqual({
    content: `${text}\n\n${whole}`,
    images: [await realpath(join(directory.workspace, "shot.png"))],
    attached: ["shot.png (image/png, 1 kB)", "src/a.ts (3 lines)"],
  });
});

test.each([
  ["a package", "use @types/node"],
  ["an address", "write to me@src/a.ts"],
  ["a file that does not exist", "see @src/b.ts"],
  ["a file outside of the workspace", "see @../outside.txt"],
  ["a link that leads outside", "see @link.txt"],
  ["an absolute path outside", "see @/etc/passwd"],
  ["nothing", "see @ there"],
])("%s stays text", async (_, text) => {
  await using directory = await workspace();
  expect(await attachMentions(text, directory.workspace)).toEqual({
    ...{ content: text, images: [], attached: [] },
  });
});

test.each([
  ["a binary file", "@binary", "binary is not a text file"],
  ["lines of an image", "@shot.png:2", "shot.png is not a text file"],
  ["a large file", "@large.txt", "large.txt is larger than 100 KiB"],
  ["lines that do not exist", "@src/a.ts:7", "src/a.ts has no lines 7"],
  ["lines in the wrong order", "@src/a.ts:3-2", "src/a.ts has no lines 3-2"],
])("%s is refused", async (_, text, message) => {
  await using directory = await workspace();
  await expect(attachMentions(text, directory.workspace)).rejects.toThrow(message);
});
