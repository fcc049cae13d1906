import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { CheckoutRecord } from "../../src/protocol/checkout.ts";
import type { Landing } from "../../src/protocol/landing.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { pictureOf } from "../../test/support/landings.ts";
import { gitEnvironment, gitIn } from "../../test/support/repository.ts";
import { placesIn, target, teamId } from "./contract.ts";
import { openStores } from "./stores.ts";

const execute = promisify(execFile);

/** What must be nothing at all. */
export const wrongs = [
  ...["lost", "twice", "unchecked", "unfinished", "disturbed", "damaged", "litter"],
] as const;
export type Wrongs = Record<(typeof wrongs)[number], number>;

/** Follows one story from outside, and compares what the repository has with what it must have. */
export class Witness {
  readonly #directory: string;
  readonly #tell: (problem: string) => void;
  readonly counts: Wrongs = {
    ...{ lost: 0, twice: 0, unchecked: 0, unfinished: 0, disturbed: 0, damaged: 0, litter: 0 },
  };
  #before: string | undefined;
  /** Every ref that has kept work. */
  #refs = new Map<string, string>();

  constructor(directory: string, tell: (problem: string) => void) {
    this.#directory = directory;
    this.#tell = tell;
  }

  /** Remembers the person's directory as it is before anybody works. */
  async begin(): Promise<void> {
    this.#before = await this.#personsSide();
  }

  /** After any life, killed or not: what was kept once is still kept, and the person's side is as it was. */
  async look(): Promise<void> {
    const { root } = placesIn(this.#directory);
    if ((await this.#personsSide()) !== this.#before) this.#wrong("disturbed", "the person's side");
    const format = "--format=%(refname) %(objectname)";
    const listed = await gitIn(root, "for-each-ref", format, `refs/troupe/${teamId}/`);
    const now = new Map(listed.split("\n").filter(Boolean).map(splitOnce));
    for (const [ref, id] of this.#refs) {
      if (now.get(ref) !== id) this.#wrong("lost", `${ref} is not ${id} any more`);
    }
    for (const [ref, id] of now) if (!ref.includes("/base/")) this.#refs.set(ref, id);
  }

  /** After a life that was not killed. */
  async judge(): Promise<void> {
    await this.look();
    const { records } = placesIn(this.#directory);
    const stores = openStores(records, (problem) => this.#wrong("damaged", problem));
    const landings = await stores.landings.list();
    for (const checkout of await stores.checkouts.list()) await this.#judgeOne(checkout, landings);
    await this.#judgeTarget(landings);
    await this.#lookForLitter(await stores.checkouts.list());
  }

  /** A check of the whole repository takes its time. */
  async finish(): Promise<void> {
    const { root } = placesIn(this.#directory);
    const problem = await gitIn(root, "fsck", "--strict", "--no-dangling").then(
      (text) => text,
      (error: unknown) => String(error),
    );
    if (problem !== "") this.#wrong("damaged", problem);
  }

  async #judgeOne({ id, path, base }: CheckoutRecord, landings: readonly Landing[]) {
    const { root } = placesIn(this.#directory);
    const kept = this.#newestKept(id) ?? base;
    const [tree, own] = [await gitIn(root, "rev-parse", `${kept}^{tree}`), await treeOf(path)];
    if (tree !== own) this.#wrong("lost", `${id} has ${own}, and ${tree} is kept`);
    const newest = landings.filter(({ member }) => member === id).at(-1);
    if (!newest) return;
    const { state, commit } = newest;
    if (!["landed", "conflict", "rejected", "failed"].includes(state)) {
      this.#wrong("unfinished", `the landing ${newest.id} of ${id} is ${state}`);
    }
    if (state === "landed" && !(await isIn(root, commit))) {
      this.#wrong("lost", `the landing ${newest.id} of ${id} is not in the target`);
    }
  }

  #newestKept(member: string): string | undefined {
    const start = `refs/troupe/${teamId}/${member}/`;
    const numbers = [...this.#refs.keys()].flatMap((ref) =>
      ref.startsWith(start) && /^\d+$/.test(ref.slice(start.length))
        ? [Number(ref.slice(start.length))]
        : [],
    );
    return this.#refs.get(`${start}${Math.max(...numbers)}`);
  }

  async #judgeTarget(landings: readonly Landing[]): Promise<void> {
    const { root, personsCommits } = placesIn(this.#directory);
    if (!(await isThere(root, target))) return;
    const merges = await gitIn(root, "log", "--first-parent", "--format=%P", target);
    const merged = merges.split("\n").flatMap((line) => line.split(" ")[1] ?? []);
    for (const { id, commit } of landings) {
      const times = merged.filter((each) => each === commit).length;
      if (times > 1) this.#wrong("twice", `landing ${id} has landed ${times} times`);
    }
    const persons = await readFile(personsCommits, "utf8").catch(() => "");
    for (const commit of persons.split("\n").filter(Boolean)) {
      if (!(await isIn(root, commit))) this.#wrong("lost", `the person's commit ${commit}`);
    }
    if (await isThere(root, `${target}:forbidden`)) {
      this.#wrong("unchecked", "the target has what the check forbids");
    }
  }

  /** Temporary files of a life that was killed. */
  async #lookForLitter(records: readonly CheckoutRecord[]): Promise<void> {
    const { checkouts } = placesIn(this.#directory);
    const known = records.flatMap(({ path }) => [path, `${path}.index`]);
    const names = await readdir(checkouts).catch(() => []);
    for (const name of names.filter((each) => each !== "retired")) {
      if (!known.includes(join(checkouts, name))) this.#wrong("litter", name);
    }
  }

  async #personsSide(): Promise<string> {
    const { root } = placesIn(this.#directory);
    const heads = ["HEAD", "main"].map((name) => gitIn(root, "rev-parse", name));
    return JSON.stringify([await Promise.all(heads), await pictureOf(root)]);
  }

  #wrong(kind: keyof Wrongs, problem: string): void {
    this.counts[kind]++;
    this.#tell(`${kind}: ${problem}`);
  }
}

/** The tree of all files of a checkout, as plain git makes it, with an index and objects of its own. */
async function treeOf(path: string): Promise<string> {
  await using scratch = await temporaryDirectory();
  const own = { GIT_INDEX_FILE: join(scratch.path, "index"), GIT_OBJECT_DIRECTORY: scratch.path };
  const alternates = { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(path, ".git", "objects") };
  const options = { cwd: path, env: { ...gitEnvironment, ...own, ...alternates } };
  await execute("git", ["add", "-A"], options);
  const { stdout } = await execute("git", ["write-tree"], options);
  return stdout.trim();
}

async function isIn(root: string, commit: string): Promise<boolean> {
  const argv = ["merge-base", "--is-ancestor", commit, target];
  return await gitIn(root, ...argv).then(
    () => true,
    () => false,
  );
}

async function isThere(root: string, name: string): Promise<boolean> {
  return await gitIn(root, "rev-parse", "-q", "--verify", name).then(
    () => true,
    () => false,
  );
}

function splitOnce(line: string): [string, string] {
  const [before = "", after = ""] = line.split(" ");
  return [before, after];
}
