import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrno } from "../errors.ts";

const segmentPattern = /^(\d{6,})\.jsonl$/;

/** The numbers of the segments (`000017.jsonl`) in `directory`, ascending; none if it is missing. */
export async function listSegments(directory: string): Promise<number[]> {
  try {
    const names = await readdir(directory);
    return names
      .flatMap((name) => segmentPattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return [];
    throw error;
  }
}

/** Where segment `number` of `directory` lies. */
export function segmentPath(directory: string, number: number): string {
  return join(directory, `${String(number).padStart(6, "0")}.jsonl`);
}

/** The directory for what belongs to the lines file `path`: `logs/.alice` for `logs/alice.jsonl`. */
export function sideDirectory(path: string): string {
  return join(dirname(path), `.${basename(path, ".jsonl")}`);
}
