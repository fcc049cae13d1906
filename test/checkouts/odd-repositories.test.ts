import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { alice, CheckoutBench } from "../support/checkouts.ts";
import { pictureOf } from "../support/landings.ts";
import { gitIn, makeRepository, makeTrap, writeFiles } from "../support/repository.ts";

interface Odd {
  /** Makes the repository whose lead works in `root`, from one at `root` with a.txt and sub/b.txt. */
  make(root: string): Promise<unknown>;
  /** The files of a checkout (default: those two). */
  files?: readonly string[];
}

const clonedBy = (...options: string[]) => ({
  async make(root: string) {
    const clone = `${root}-clone`;
    await gitIn(root, "config", "uploadpack.allowFilter", "true");
    await gitIn(root, "clone", "-q", ...options, `file://${root}`, clone);
    return clone;
  },
});

const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";

const oddities: Readonly<Record<string, Odd>> = {
  "with a dirty index": {
    async make(root) {
      await writeFiles(root, { "a.txt": "staged\n" });
      await gitIn(root, "add", "a.txt");
      await writeFiles(root, { "a.txt": "changed again\n", "new.txt": "n\n" });
    },
  },
  "in the middle of a merge": {
    async make(root) {
      await gitIn(root, "checkout", "-q", "-b", "other");
      await writeFiles(root, { "a.txt": "theirs\n" });
      await gitIn(root, "commit", "-qam", "theirs");
      await gitIn(root, "checkout", "-q", "main");
      await writeFiles(root, { "a.txt": "ours\n" });
      await gitIn(root, "commit", "-qam", "ours");
      await expect(gitIn(root, "merge", "-q", "other")).rejects.toThrow();
    },
  },
  "on a detached HEAD": {
    async make(root) {
      await gitIn(root, "checkout", "-q", "--detach");
    },
  },
  "in a linked worktree": {
    async make(root) {
      await gitIn(root, "worktree", "add", "-q", `${root}-linked`);
      return `${root}-linked`;
    },
  },
  shallow: clonedBy("--depth=1"),
  partial: clonedBy("--filter=blob:none"),
  sparse: {
    async make(root) {
      await gitIn(root, "sparse-checkout", "set", "sub");
    },
  },
  "with a submodule": {
    async make(root) {
      const part = await makeRepository(`${root}-part`, { "part.txt": "p\n" });
      await gitIn(root, "submodule", "--quiet", "add", part, "part");
      await gitIn(root, "commit", "-qm", "with a part");
    },
    files: [".gitmodules", "a.txt", "part/part.txt", "sub/b.txt"],
  },
  "with files of Git LFS": {
    async make(root) {
      const trap = await makeTrap(`${root}-trap`);
      await writeFiles(root, { ".gitattributes": "*.big filter=lfs\n", "x.big": pointer });
      await gitIn(root, "add", "-A");
      await gitIn(root, "commit", "-qm", "large");
      await gitIn(root, "config", "filter.lfs.smudge", trap.script);
      await gitIn(root, "config", "filter.lfs.clean", trap.script);
      await gitIn(root, "config", "filter.lfs.required", "true");
    },
    files: [".gitattributes", "a.txt", "sub/b.txt", "x.big"],
  },
};

test.each(Object.entries(oddities))(
  "P26 P27 a repository %s has checkouts, and keeps their work",
  async (_, { make, files = ["a.txt", "sub/b.txt"] }) => {
    await using directory = await temporaryDirectory();
    const first = { "a.txt": "a\n", "sub/b.txt": "b\n" };
    const origin = await makeRepository(join(directory.path, "work"), first);
    await gitIn(origin, "commit", "-q", "--allow-empty", "-m", "second");
    const made = await make(origin);
    const root = typeof made === "string" ? made : origin;
    const bench = new CheckoutBench({ root, directory: directory.path }, {});
    const before = await pictureOf(root);

    const { checkout, missing } = await bench.make();

    const { path } = checkout;
    expect(missing).toEqual({ submodules: [], included: [], links: [] });
    expect(await filesIn(path)).toEqual(files);
    expect(await gitIn(path, "status", "--porcelain")).toBe("");
    await writeFiles(path, { "a.txt": "alice's\n", "sub/c.txt": "c\n" });
    await gitIn(path, "add", "sub/c.txt");
    await gitIn(path, "commit", "-qm", "alice's own");
    const kept = await bench.checkouts.keep(alice);
    expect(await gitIn(root, "show", `${kept?.ref}:a.txt`)).toBe("alice's");
    expect(await gitIn(root, "show", `${kept?.ref}^:sub/c.txt`)).toBe("c");
    expect(await gitIn(root, "diff", "--name-only", checkout.base, kept?.ref ?? "")).toBe(
      "a.txt\nsub/c.txt",
    );
    expect(await pictureOf(root)).toEqual(before);
    expect(bench.warnings).toEqual([]);
    expect((await readdir(directory.path)).filter((name) => name.endsWith(".ran"))).toEqual([]);
  },
);

const refused: readonly [string, RegExp, (root: string) => Promise<unknown>][] = [
  ["is none", /no git repository here/, async () => undefined],
  ["is bare", /is bare/, (root) => gitIn(root, "init", "-q", "--bare")],
  ["has no commit", /no commit yet/, (root) => gitIn(root, "init", "-q")],
];

test.each(refused)(
  "a repository that %s has no checkouts, and says so",
  async (_, problem, make) => {
    await using directory = await temporaryDirectory();
    const root = join(directory.path, "work");
    await mkdir(root);
    await make(root);
    const bench = new CheckoutBench({ root, directory: directory.path }, {});

    await expect(bench.make()).rejects.toMatchObject({
      ...{ code: "repository-unusable", message: expect.stringMatching(problem) },
      hint: expect.any(String),
    });
    expect(await readdir(directory.path)).toEqual(["work"]);
  },
);

test("what a submodule lacks in the person's repository is named, and the rest is there", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"));
  const part = await makeRepository(join(directory.path, "part"), { "part.txt": "p\n" });
  await gitIn(root, "submodule", "--quiet", "add", part, "part");
  await gitIn(root, "commit", "-qm", "with a part");
  await gitIn(root, "clone", "-q", root, `${root}-clone`);
  const bench = new CheckoutBench({ root: `${root}-clone`, directory: directory.path }, {});

  const { checkout, missing } = await bench.make();

  expect(missing.submodules).toEqual(["part"]);
  expect(await readFile(join(checkout.path, "a.txt"), "utf8")).toBe("a\n");
});

test("P27 the person's git gc takes nothing from a checkout, also where its branch is gone", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path);
  const { root } = bench;
  const { checkout } = await bench.make();
  const { path } = checkout;
  await writeFiles(path, { "b.txt": "b\n" });
  await bench.checkouts.keep(alice);

  await gitIn(root, "commit", "-q", "--amend", "--allow-empty", "-m", "another first one");
  await gitIn(root, "reflog", "expire", "--expire=now", "--all");
  await gitIn(root, "gc", "-q", "--prune=now");

  expect(await gitIn(path, "fsck", "--no-dangling")).toBe("");
  await writeFiles(path, { "b.txt": "later\n" });
  const later = await bench.checkouts.keep(alice);
  expect(await gitIn(root, "show", `${later?.ref}:b.txt`)).toBe("later");
  expect(await gitIn(root, "show", `${later?.ref}:a.txt`)).toBe("a");
});

async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const names = files.map(({ parentPath, name }) => join(parentPath, name).slice(path.length + 1));
  return names.filter((name) => !/(^|\/)\.git\//.test(name)).sort();
}
