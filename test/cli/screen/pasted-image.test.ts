import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pastedImage } from "../../../src/cli/screen/pasted-image.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { pngOf } from "../../support/images.ts";

/** A workspace and a home with images, and with what is none. */
async function places() {
  const directory = await temporaryDirectory();
  const workspace = join(directory.path, "work");
  const home = join(directory.path, "home");
  await mkdir(join(workspace, "docs"), { recursive: true });
  await mkdir(home);
  await writeFile(join(workspace, "docs", "shot.png"), pngOf(40, 30));
  await writeFile(join(home, "it's a shot.png"), pngOf(40, 30));
  await writeFile(join(workspace, "notes.png"), "a text");
  await writeFile(join(workspace, "large.png"), pngOf(40, 30));
  await truncate(join(workspace, "large.png"), 4_000_000);
  await symlink("docs/shot.png", join(workspace, "link.png"));
  return Object.assign(directory, { workspace, home });
}

test.each([
  ["a relative path", "docs/shot.png", "work/docs/shot.png"],
  ["an absolute path", "<work>/docs/shot.png", "work/docs/shot.png"],
  ["a path with a space at its end", "docs/shot.png ", "work/docs/shot.png"],
  ["a path out of the workspace", "../home/it's a shot.png", "home/it's a shot.png"],
  ["a path in the home directory", "~/it's a shot.png", "home/it's a shot.png"],
  ["an escaped path", "~/it\\'s\\ a\\ shot.png", "home/it's a shot.png"],
  ["a path in single quotes", "'<home>/it'\\''s a shot.png'", "home/it's a shot.png"],
  ["a path in double quotes", '"<home>/it\'s a shot.png"', "home/it's a shot.png"],
  ["a link to an image", "link.png", "work/docs/shot.png"],
])("%s is that of the image", async (_, pasted, expected) => {
  await using it = await places();
  const text = pasted.replace("<work>", it.workspace).replace("<home>", it.home);

  expect(pastedImage(text, it)).toEqual({ type: "image", path: join(it.path, expected) });
});

test.each([
  ["what is missing", "docs/other.png"],
  ["a file that is no image", "notes.png"],
  ["a directory", "docs"],
  ["a path and a word", "docs/shot.png there"],
  ["two paths", "docs/shot.png link.png"],
  ["two lines", "docs/shot.png\ndocs/shot.png"],
  ["a name below a file", "notes.png/shot.png"],
  ["a quote that is not closed", "'docs/shot.png"],
  ["nothing", " "],
  ["a character that no path has", "docs/shot.png\0"],
  ["a text that is too long for a path", "x".repeat(5_000)],
])("%s stays text", async (_, pasted) => {
  await using it = await places();

  expect(pastedImage(pasted, it)).toBeUndefined();
});

test("an image that is too large is refused, and the reason is said", async () => {
  await using it = await places();

  expect(pastedImage("large.png", it)).toEqual({
    type: "refused",
    problem: expect.stringContaining("has 4000000 bytes, and 3750000 are allowed"),
  });
});
