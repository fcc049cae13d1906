import { existsSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeTree } from "../../src/lib/remove-tree.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

// Root is refused nothing, so that for it the first attempt succeeds.
test("directories that nobody may write or read are removed, and nothing that links lead to", async () => {
  await using directory = await temporaryDirectory();
  const [tree, kept] = [join(directory.path, "tree"), join(directory.path, "kept")];
  for (const path of [kept, join(tree, "cache/module")]) {
    await mkdir(path, { recursive: true });
    await writeFile(join(path, "file"), "");
  }
  await symlink(kept, join(tree, "link"));
  await chmod(join(tree, "cache/module"), 0o555);
  await chmod(join(tree, "cache"), 0o000);

  await removeTree(tree);

  expect(existsSync(tree)).toBe(false);
  expect(existsSync(join(kept, "file"))).toBe(true);
  await removeTree(tree);
});
