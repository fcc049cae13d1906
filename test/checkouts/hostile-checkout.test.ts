import { access, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { alice, CheckoutBench } from "../support/checkouts.ts";
import { pictureOf } from "../support/landings.ts";
import { gitIn, makeRepository, makeTrap, writeFiles } from "../support/repository.ts";

interface Place {
  /** The checkout. */
  path: string;
  /** A program that leaves a mark where it runs. */
  script: string;
  /** Another repository, with a commit that no checkout has. */
  elsewhere: string;
  secret: string;
}

/** What a member makes of its own repository, and whether its commits can still be kept. */
const attacks: Readonly<Record<string, (place: Place) => Promise<unknown>>> = {
  "a file monitor": ({ path, script }) => gitIn(path, "config", "core.fsmonitor", script),
  "hooks for everything": async ({ path, script }) => {
    const names = `post-index-change reference-transaction pre-auto-gc post-checkout update
      post-update pre-receive post-rewrite fsmonitor-watchman`.split(/\s+/);
    await mkdir(join(path, ".git", "hooks"), { recursive: true });
    for (const name of names) await symlink(script, join(path, ".git", "hooks", name));
    await gitIn(path, "config", "core.hooksPath", join(path, ".git", "hooks"));
  },
  filters: async ({ path, script }) => {
    await writeFiles(path, { ".gitattributes": "* filter=evil diff=evil merge=evil\n" });
    for (const key of ["clean", "smudge", "process"]) {
      await gitIn(path, "config", `filter.evil.${key}`, script);
    }
    await gitIn(path, "config", "diff.evil.textconv", script);
    await gitIn(path, "config", "merge.evil.driver", script);
  },
  "a hook for packing": ({ path, script }) =>
    gitIn(path, "config", "uploadpack.packObjectsHook", script),
  "a command for alternates": ({ path, script }) =>
    gitIn(path, "config", "core.alternateRefsCommand", script),
  "an include of another configuration": async ({ path, script }) => {
    await writeFile(join(path, "evil"), `[core]\n\tfsmonitor = ${script}\n`);
    await gitIn(path, "config", "include.path", "../evil");
  },
};

test.each(Object.entries(attacks))(
  "P26 nothing runs outside that a checkout names by %s, and its work is kept",
  async (_, attack) => {
    await using bench = await openBench();
    const { path, before, root, checkouts } = bench;
    await writeFiles(path, { "mine.txt": "m\n" });
    await gitIn(path, "add", "mine.txt");
    await gitIn(path, "commit", "-qm", "mine");
    await attack(bench);
    await writeFiles(path, { "a.txt": "changed\n" });

    const kept = await checkouts.keep(alice);
    await checkouts.retire(alice);

    expect(await gitIn(root, "show", `${kept?.ref}:a.txt`)).toBe("changed");
    expect(await gitIn(root, "show", `${kept?.ref}^:mine.txt`)).toBe("m");
    await expect(access(bench.mark)).rejects.toMatchObject({ code: "ENOENT" });
    expect(await pictureOf(root)).toEqual(before);
  },
);

test("control: plain git in such a checkout runs the program", async () => {
  await using bench = await openBench();
  await attacks["a file monitor"]?.(bench);

  await gitIn(bench.path, "status");

  expect(await readFile(bench.mark, "utf8")).toContain("trap");
});

/** What is wrong with the repository afterwards, and how it is said. */
const replacements: readonly [string, RegExp, (place: Place) => Promise<unknown>][] = [
  ["is gone", /\.git is gone/, ({ path }) => rm(join(path, ".git"), { recursive: true })],
  [
    "is a file",
    /\.git is no longer a directory/,
    async ({ path, elsewhere }) => {
      await rm(join(path, ".git"), { recursive: true });
      await writeFile(join(path, ".git"), `gitdir: ${elsewhere}/.git\n`);
    },
  ],
  [
    "is a link",
    /\.git is no longer a directory/,
    async ({ path, elsewhere }) => {
      await rm(join(path, ".git"), { recursive: true });
      await symlink(join(elsewhere, ".git"), join(path, ".git"));
    },
  ],
  [
    "leads to another repository",
    /leads to another repository/,
    ({ path, elsewhere }) => writeFile(join(path, ".git", "commondir"), join(elsewhere, ".git")),
  ],
  [
    "has the objects of another one",
    /objects is no longer a directory/,
    async ({ path, elsewhere }) => {
      await rename(join(path, ".git", "objects"), join(path, "objects-before"));
      await symlink(join(elsewhere, ".git", "objects"), join(path, ".git", "objects"));
    },
  ],
];

test.each(replacements)(
  "P27 where the .git of a checkout %s, its files are kept, it is told, and gets a new one",
  async (_, problem, replace) => {
    await using bench = await openBench();
    const { path, before, root, checkouts } = bench;
    await writeFiles(path, { "mine.txt": "m\n" });
    await checkouts.keep(alice);
    await writeFiles(path, { "a.txt": "changed\n" });
    await replace(bench);

    const kept = await checkouts.keep(alice);

    expect(await gitIn(root, "show", `${kept?.ref}:a.txt`)).toBe("changed");
    expect(bench.told).toEqual([expect.stringMatching(problem)]);
    expect(await gitIn(path, "log", "-1", "--format=%H")).toBe(kept?.commit);
    expect(await gitIn(path, "status", "--porcelain", "mine.txt", "a.txt")).toBe("");
    expect(await pictureOf(root)).toEqual(before);
    await expect(gitIn(root, "cat-file", "-e", bench.secret)).rejects.toThrow();
  },
);

test("P26 objects that a checkout has only by alternates elsewhere are not taken", async () => {
  await using bench = await openBench();
  const { path, root, elsewhere, secret } = bench;
  const alternates = join(path, ".git", "objects", "info", "alternates");
  const own = await readFile(alternates, "utf8");
  await writeFile(alternates, `${own}${elsewhere}/.git/objects\n`);
  await gitIn(path, "update-ref", "refs/heads/stolen", secret);
  await gitIn(path, "reset", "-q", "--soft", secret);
  await writeFiles(path, { "a.txt": "changed\n" });

  const kept = await bench.checkouts.keep(alice);

  await expect(gitIn(root, "cat-file", "-e", secret)).rejects.toThrow();
  expect(await gitIn(root, "show", `${kept?.ref}:a.txt`)).toBe("changed");
  expect(bench.told).toEqual([expect.stringMatching(/commits cannot be read/)]);
});

async function openBench() {
  const directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path, { "a.txt": "a\n" });
  const elsewhere = await makeRepository(join(directory.path, "elsewhere"), { s: "secret\n" });
  const trap = await makeTrap(join(directory.path, "trap"));
  const { checkout } = await bench.make();
  return {
    ...{ path: checkout.path, ...trap, elsewhere, root: bench.root, checkouts: bench.checkouts },
    secret: await gitIn(elsewhere, "rev-parse", "HEAD"),
    before: await pictureOf(bench.root),
    told: bench.told,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
