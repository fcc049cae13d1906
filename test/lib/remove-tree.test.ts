import { existsSync } from "node:fs";
import { chmod, mkdir, stat, symlink, writeFile } from "node:fs/promises";
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

test("P36 what a link leads to keeps its mode, also where the link cannot be removed", async () => {
  await using directory = await temporaryDirectory();
  const [holder, kept] = [join(directory.path, "holder"), join(directory.path, "kept")];
  for (const path of [holder, kept]) await mkdir(path);
  await symlink(kept, join(holder, "link"));
  await chmod(kept, 0o755);
  await chmod(holder, 0o555);

  const removing = removeTree(join(holder, "link"));

  // Root is refused nothing.
  if (process.getuid?.() === 0) await removing;
  else await expect(removing).rejects.toMatchObject({ code: "EACCES" });
  expect((await stat(kept)).mode & 0o777).toBe(0o755);
  await chmod(holder, 0o755);
});
