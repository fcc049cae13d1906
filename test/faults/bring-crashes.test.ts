import { appendFile, cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Git, GitOptions, GitRun } from "../../src/git/git.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";
import { bring, landEdits } from "../support/landed.ts";
import { gitIn, makeRepository, openGit, writeFiles } from "../support/repository.ts";

const lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
const landed = lines.replace("9", "nine");

test("P28 troupe land that dies half-way loses nothing of the person's, and brings the rest the next time", async () => {
  const onDisk = await sweep({ dies: "at a change of the disk", repeats: true });
  const inGit = await sweep({ dies: "before git", repeats: true });

  expect([...onDisk.violations, ...inGit.violations]).toEqual([]);
  expect([onDisk.deaths, inGit.deaths]).toEqual([
    expect.toSatisfy(isMany),
    expect.toSatisfy(isMany),
  ]);
});

function isMany(deaths: number): boolean {
  return deaths >= 6;
}

test("control: without a next time, files are left that the branch does not have", async () => {
  const { violations } = await sweep({ dies: "before git", repeats: false });

  expect(violations).toContainEqual(expect.stringContaining("the files are"));
});

test("what the person changes while troupe land is dead stays, and is named", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeTemplate(directory.path);
  using faulty = await FaultyFileSystem.install();
  // All files are in their places, and git knows nothing of it yet.
  await faulty.run(never, async () => {
    await bring(root, mortal(faulty, { at: 6, taken: 0 }));
  });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe(landed);
  await appendFile(join(root, "a.txt"), "mine\n");

  expect(await bring(root)).toMatchObject({ type: "blocked", files: [{ path: "a.txt" }] });

  expect(await readFile(join(root, "a.txt"), "utf8")).toMatch(/mine\n$/);
});

const never = { type: "crash", at: Number.MAX_SAFE_INTEGER, writtenShare: 0 } as const;

interface Sweep {
  dies: "at a change of the disk" | "before git";
  repeats: boolean;
}

/** Dies at every change of the disk, or before every git that changes something, until all is brought or something is wrong. */
async function sweep({ dies, repeats }: Sweep) {
  await using template = await temporaryDirectory();
  await makeTemplate(template.path);
  using faulty = await FaultyFileSystem.install();
  for (let at = 1; ; at++) {
    await using directory = await temporaryDirectory();
    const root = join(directory.path, "work");
    await cp(join(template.path, "work"), root, { recursive: true, preserveTimestamps: true });
    const isInGit = dies === "before git";
    const steps = { at: isInGit ? at : 0, taken: 0 };
    const fault = isInGit ? never : ({ type: "crash", at, writtenShare: 0.5 } as const);
    const { hit } = await faulty.run(fault, async () => {
      await bring(root, mortal(faulty, steps));
    });
    const isHit = hit !== undefined || (isInGit && steps.taken >= at);
    if (repeats || !isHit) await bring(root);
    const violations = (await violationsIn(root)).map((each) => `died ${dies} ${at}: ${each}`);
    if (!isHit || violations.length > 0) return { deaths: at - 1, violations };
  }
}

async function makeTemplate(path: string): Promise<string> {
  const root = await makeRepository(join(path, "work"), {
    ...{ "a.txt": lines, "b.txt": "b\n", "old.txt": "old\n", "mine.txt": "mine\n" },
  });
  await landEdits(root, { "a.txt": landed, "new/c.txt": "c\n", "old.txt": null });
  await writeFiles(root, { "mine.txt": "changed\n", "b.txt": "staged\n", "untracked.txt": "u\n" });
  await gitIn(root, "add", "b.txt");
  return root;
}

const wanted = "M  b.txt\n M mine.txt\n?? untracked.txt";

async function violationsIn(root: string): Promise<string[]> {
  const found: string[] = [];
  const status = await gitIn(root, "status", "--porcelain");
  if (status !== wanted) found.push(`the files are ${JSON.stringify(status)}`);
  const texts = ["a.txt", "new/c.txt", "mine.txt", "b.txt", "untracked.txt"];
  const contents = await Promise.all(
    texts.map((path) => readFile(join(root, path), "utf8").catch(() => "missing")),
  );
  const expected = [landed, "c\n", "changed\n", "staged\n", "u\n"];
  if (contents.join("|") !== expected.join("|")) found.push(`the files are ${contents}`);
  return found;
}

/** Git of a process that dies: it starts no git any more. */
function mortal(faulty: FaultyFileSystem, steps = { at: 0, taken: 0 }) {
  return async (cwd: string, options?: Partial<GitOptions>): Promise<Git> => {
    const git = await openGit(cwd, options);
    const guarded = (name: "run" | "text") => async (argv: readonly string[], run?: GitRun) => {
      faulty.assertAlive();
      const isChange = /^(update-|checkout-|commit-)/.test(argv[0] ?? "");
      if (isChange && ++steps.taken === steps.at) throw new Error("The process is dead");
      return await git[name](argv, run);
    };
    return new Proxy(git, {
      get(whole, name) {
        if (name === "run" || name === "text") return guarded(name);
        const value: unknown = Reflect.get(whole, name, whole);
        return typeof value === "function" ? value.bind(whole) : value;
      },
    });
  };
}
