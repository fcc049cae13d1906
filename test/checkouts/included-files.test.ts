import { lstat, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { alice, CheckoutBench } from "../support/checkouts.ts";
import { gitIn, writeFiles } from "../support/repository.ts";

test("of the files that .worktreeinclude names, those that are ignored and in the repository are copied", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path, {
    ".gitignore": ".env*\nlocal/\nout\ninner\n.team/\n",
    ".worktreeinclude":
      "# secrets\n.env*\n!.env.private\nlocal/*.json\nuntracked.txt\nout\ninner\n.team\n",
  });
  const { root } = bench;
  await writeFiles(root, {
    ...{ ".env": "A=1\n", ".env.private": "no\n", "local/a.json": "{}\n", "local/b.txt": "no\n" },
    ...{ "untracked.txt": "not ignored\n", ".team/config.json": "{}\n" },
  });
  await writeFiles(directory.path, { "outside.txt": "outside\n" });
  await symlink(join(directory.path, "outside.txt"), join(root, "out"));
  await symlink(".env", join(root, "inner"));

  const { checkout, missing } = await bench.make();

  const { path } = checkout;
  expect(missing.included).toEqual(["out"]);
  expect(await readFile(join(path, ".env"), "utf8")).toBe("A=1\n");
  expect(await readFile(join(path, "local/a.json"), "utf8")).toBe("{}\n");
  expect(await readlink(join(path, "inner"))).toBe(".env");
  for (const name of [".env.private", "local/b.txt", "untracked.txt", "out", ".team"]) {
    await expect(lstat(join(path, name)), name).rejects.toMatchObject({ code: "ENOENT" });
  }
  expect(await gitIn(path, "status", "--porcelain")).toBe("");
});

test("P36 where the checkout begins with a link out of it, no link or copy is made behind that", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path, {
    ".gitignore": "node_modules\n.env\n",
    ".worktreeinclude": ".env\n",
  });
  const { root } = bench;
  await symlink("../../mine", join(root, "deep"));
  await gitIn(root, "add", "-A");
  await gitIn(root, "commit", "-q", "-m", "a link");
  await rm(join(root, "deep"));
  await writeFiles(root, { "deep/er/node_modules/x": "x", "deep/er/.env": "A=1\n" });
  await writeFiles(directory.path, { "mine/notes": "mine" });

  const checkouts = bench.open({ links: ["deep/er/node_modules"] });
  const { missing } = await bench.make(checkouts);

  expect(missing).toMatchObject({ included: ["deep/er/.env"], links: ["deep/er/node_modules"] });
  expect(await readdir(join(directory.path, "mine"))).toEqual(["notes"]);
  const within = { from: join(root, "deep/er"), cwd: join(root, "deep/er") };
  await expect(bench.make(checkouts, within)).rejects.toMatchObject({ code: "checkout-failed" });
  expect(await readdir(join(directory.path, "mine"))).toEqual(["notes"]);
});

test("P27 at the end of a member its work is kept, and its checkout with all else waits in retired", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path, {
    ".gitignore": "*.log\n",
    "a.txt": "a\n",
  });
  const { checkout } = await bench.make();
  await writeFiles(checkout.path, { "a.txt": "changed\n", "new.txt": "n\n", "x.log": "log\n" });

  const kept = await bench.checkouts.retire(alice);
  const again = await bench.checkouts.retire(alice);

  expect(await gitIn(bench.root, "show", `${kept?.ref}:new.txt`)).toBe("n");
  expect(await gitIn(bench.root, "show", `${kept?.ref}:a.txt`)).toBe("changed");
  expect(again).toBeUndefined();
  const [record] = await bench.checkouts.list();
  expect(record?.state).toBe("retired");
  expect(record?.path).toContain("/retired/");
  expect(await readFile(join(record?.path ?? "", "x.log"), "utf8")).toBe("log\n");
  await expect(lstat(checkout.path)).rejects.toMatchObject({ code: "ENOENT" });
});
