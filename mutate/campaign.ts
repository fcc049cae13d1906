import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Random } from "../soak/random.ts";
import { Copy } from "./copy.ts";
import { isEquivalent } from "./equivalent.ts";
import { processEnded, tookTooLong } from "./log.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";

/** The code to mutate, and its tests, those that detect most per time first. */
export interface Target {
  /** A folder or a file. */
  source: string;
  /** A subfolder that is left out. */
  without?: string;
  /** Files and folders of these. */
  tests: readonly string[];
}

export interface Outcome {
  source: string;
  /** Picks the same sample again. */
  seed: number;
  /** The total number of mutants, of which the sample is a part. */
  population: number;
  sample: readonly string[];
  survivors: readonly Survivor[];
  /** Kills without a failed assertion: a test took too long, or the process ended. */
  hangs: readonly string[];
  /** Tests that fail without a mutant, or cannot run twice: their results are not counted. */
  useless: readonly string[];
}

interface Survivor {
  mutant: string;
  isReached: boolean;
}

export interface CampaignOptions {
  count: number;
  seed: number;
  /** Only mutants whose id contains this. */
  only: string;
}

/** Runs a target's tests on a sample of its mutants. */
export async function tryMutants(target: Target, options: CampaignOptions): Promise<Outcome> {
  const all = (await mutantsIn(target)).filter(({ id }) => id.includes(options.only));
  const sample = pick(all, options);
  await using copy = await Copy.make(process.cwd(), await readdir("."));
  await copy.put(byPath(sample));
  const files = await testFiles(target.tests);
  await tryAwakened(copy, files, sample);
  await tryFromTheStart(copy, files, sample);
  const lines = copy.log.read();
  const killed = new Set(lines.flatMap((line) => (line.type === "killed" ? [line.mutant] : [])));
  const reached = new Set(lines.flatMap((line) => (line.type === "reached" ? [line.mutant] : [])));
  return {
    source: target.source,
    seed: options.seed,
    population: all.length,
    sample: sample.map(({ id }) => id),
    survivors: sample
      .filter(({ id }) => !killed.has(id))
      .map(({ id, isStatic }) => ({ mutant: id, isReached: isStatic || reached.has(id) })),
    hangs: lines.flatMap((line) =>
      line.type === "killed" && (line.why === tookTooLong || line.why === processEnded)
        ? [`${line.mutant} by ${line.test}: ${line.why}`]
        : [],
    ),
    useless: lines.flatMap((line) =>
      line.type === "useless" ? [`${line.test}: ${line.why}`] : [],
    ),
  };
}

/**
 * Tries all mutants that can be activated between two tests. A run that hung is continued after
 * that point.
 */
async function tryAwakened(copy: Copy, files: readonly string[], sample: readonly Mutant[]) {
  const mutants = sample.filter(({ isStatic }) => !isStatic).map(({ id }) => id);
  const done = new Set<string>();
  for (;;) {
    const left = files.filter((file) => !done.has(file));
    if (left.length === 0) return;
    const before = copy.log.length;
    await copy.run({ files: left, mutants }, "run");
    for (const line of copy.log.read()) if (line.type === "done") done.add(line.file);
    if (copy.log.length > before) continue;
    if (before === 0)
      throw new Error(
        "No test runs in the sandbox. It needs bubblewrap, and dist: `npm run build`",
      );
    for (const test of left) copy.log.add({ type: "useless", test, why: "it does not run here" });
    return;
  }
}

/** Tries the mutants that only take effect while modules are loaded, each in its own run. */
async function tryFromTheStart(copy: Copy, files: readonly string[], sample: readonly Mutant[]) {
  const tried = new Set(
    copy.log.read().flatMap((line) => (line.type === "try" ? [line.mutant] : [])),
  );
  const reached = new Set(
    copy.log.read().flatMap((line) => (line.type === "reached" ? [line.mutant] : [])),
  );
  for (const { id, isStatic } of sample) {
    if (!isStatic && (tried.has(id) || !reached.has(id))) continue;
    const words = ["related", pathOf(id), "--run", "--bail", "1"];
    const code = await copy.run({ files: [...files], mutants: [], awake: id }, ...words);
    const why = code === undefined ? processEnded : `Exit code ${code}`;
    if (code !== 0) copy.log.add({ type: "killed", mutant: id, test: "from the start", why });
  }
}

async function mutantsIn({ source, without }: Target): Promise<Mutant[]> {
  const paths = await filesBelow(source);
  const mutants = paths
    .filter((path) => path.endsWith(".ts") && !(without && path.startsWith(without)))
    .map(async (path) => {
      const source = await readFile(path, "utf8");
      return mutantsOf(path, source).filter((mutant) => !isEquivalent(mutant, source));
    });
  return (await Promise.all(mutants)).flat();
}

async function testFiles(tests: readonly string[]): Promise<string[]> {
  const files = (await Promise.all(tests.map(filesBelow))).flat();
  return [...new Set(files.filter((file) => file.endsWith(".test.ts")))];
}

async function filesBelow(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

function pick(mutants: readonly Mutant[], { count, seed }: CampaignOptions): Mutant[] {
  const random = new Random(seed);
  const left = [...mutants];
  const picked: Mutant[] = [];
  while (picked.length < count && left.length > 0) {
    picked.push(...left.splice(random.below(left.length), 1));
  }
  return picked.sort((a, b) => a.id.localeCompare(b.id));
}

function byPath(mutants: readonly Mutant[]): Map<string, Mutant[]> {
  const found = new Map<string, Mutant[]>();
  for (const mutant of mutants) {
    const path = pathOf(mutant.id);
    found.set(path, [...(found.get(path) ?? []), mutant]);
  }
  return found;
}

function pathOf(id: string): string {
  return id.slice(0, id.indexOf(":"));
}
