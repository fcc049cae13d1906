import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import type { Random } from "../random.ts";

/** One damage to a file, with enough detail to repeat it. */
export interface Damage {
  /** From the workspace. */
  path: string;
  kind: Kind;
  /** The position, or the other file. */
  detail: string;
}

const kinds = [
  "bit flip",
  "zeroed tail",
  "truncation",
  "NUL bytes",
  "missing line",
  "doubled line",
  "moved line",
  "swapped",
  "doubled",
  "missing",
  "directory",
] as const;
type Kind = (typeof kinds)[number];

/** The targets: the team's directory, and the key outside of it. */
const damagedParts = [".team", "state"];

/** Damages files of the workspace `root` in one to three places. */
export async function spoil(root: string, random: Random): Promise<Damage[]> {
  const damages: Damage[] = [];
  const places = random.pick([1, 1, 1, 2, 3]);
  while (damages.length < places) {
    const damage = await spoilOnce(root, random);
    if (damage) damages.push(damage);
  }
  return damages;
}

async function spoilOnce(root: string, random: Random): Promise<Damage | undefined> {
  const files = await filesOf(root);
  // Most files are versions of small records, but most data is in the logs.
  const logs = files.filter((path) => path.endsWith(".jsonl"));
  const path = random.pick(random.below(2) === 0 && logs.length > 0 ? logs : files);
  const kind = random.pick(kinds);
  const detail = await damageOf[kind]({ path: join(root, path), root, files, random });
  return detail === undefined ? undefined : { path, kind, detail };
}

/** All files, in an order that is the same for equal teams. */
async function filesOf(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const part of damagedParts) {
    const entries = await readdir(join(root, part), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (entry.isFile()) found.push(relative(root, join(entry.parentPath, entry.name)));
    }
  }
  return found.sort();
}

interface Target {
  path: string;
  root: string;
  files: readonly string[];
  random: Random;
}

/** Each does its damage and describes it; undefined if the file has nothing to damage. */
const damageOf: Record<Kind, (target: Target) => Promise<string | undefined>> = {
  "bit flip": (target) =>
    onBytes(target, (bytes, random) => {
      const at = random.below(bytes.length);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.below(8)), at);
      return [bytes, `byte ${at}`];
    }),
  "zeroed tail": (target) =>
    onBytes(target, (bytes, random) => {
      const length = 1 + random.below(Math.min(bytes.length, 4096));
      return [bytes.fill(0, bytes.length - length), `${length} bytes`];
    }),
  truncation: (target) =>
    onBytes(target, (bytes, random) => {
      const length = random.below(bytes.length);
      return [bytes.subarray(0, length), `to ${length} of ${bytes.length} bytes`];
    }),
  "NUL bytes": (target) =>
    onBytes(target, (bytes, random) => {
      const at = random.below(bytes.length);
      const length = 1 + random.below(200);
      return [bytes.fill(0, at, Math.min(bytes.length, at + length)), `${length} bytes from ${at}`];
    }),
  "missing line": (target) =>
    onLines(target, (lines, at) => [...lines.slice(0, at), ...lines.slice(at + 1)]),
  "doubled line": (target) =>
    onLines(target, (lines, at, to) => [
      ...lines.slice(0, to),
      lines[at] ?? "",
      ...lines.slice(to),
    ]),
  "moved line": (target) =>
    onLines(target, (lines, at, to) => {
      const rest = [...lines.slice(0, at), ...lines.slice(at + 1)];
      return [...rest.slice(0, to), lines[at] ?? "", ...rest.slice(to)];
    }),
  async swapped({ path, root, files, random }) {
    const others = files.filter((other) => isAlike(other, path) && join(root, other) !== path);
    if (others.length === 0) return undefined;
    const other = random.pick(others);
    const [here, there] = [await readFile(path), await readFile(join(root, other))];
    await writeFile(path, there);
    await writeFile(join(root, other), here);
    return `with ${other}`;
  },
  doubled: (target) =>
    onBytes(target, (bytes) => [Buffer.concat([bytes, bytes]), "its content twice"]),
  async missing({ path }) {
    await rm(path);
    return "removed";
  },
  async directory({ path }) {
    await rm(path);
    await mkdir(path);
    return "in its place";
  },
};

/** Files that could be mistaken for each other. */
function isAlike(one: string, other: string): boolean {
  const ending = (path: string) => /\.[a-z]+$/.exec(basename(path))?.[0] ?? basename(path);
  return ending(one) === ending(other);
}

async function onBytes(
  { path, random }: Target,
  change: (bytes: Buffer, random: Random) => [Uint8Array, string],
): Promise<string | undefined> {
  const bytes = await readFile(path);
  if (bytes.length === 0) return undefined;
  const [changed, detail] = change(bytes, random);
  await writeFile(path, changed);
  return detail;
}

async function onLines(
  { path, random }: Target,
  change: (lines: string[], at: number, to: number) => string[],
): Promise<string | undefined> {
  if (!path.endsWith(".jsonl")) return undefined;
  const lines = (await readFile(path, "latin1")).split("\n").slice(0, -1);
  if (lines.length < 2) return undefined;
  const [at, to] = [random.below(lines.length), random.below(lines.length)];
  await writeFile(path, `${change(lines, at, to).join("\n")}\n`, "latin1");
  return `line ${at + 1} of ${lines.length}, to ${to + 1}`;
}
