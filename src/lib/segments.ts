import { type FilePath, nameOf, parentOf, within } from "./file-path.ts";
import { listNames } from "./files.ts";

const segmentPattern = /^(\d{6,})\.jsonl$/;

/** The numbers of the segments (`000017.jsonl`) in `directory`, ascending; none if it is missing. */
export async function listSegments(directory: FilePath): Promise<number[]> {
  return (await listNames(directory))
    .flatMap((name) => segmentPattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

export function segmentPath(directory: FilePath, number: number): FilePath {
  return within(directory, `${String(number).padStart(6, "0")}.jsonl`);
}

/**
 * The directory for the files that belong to the log `path`: `logs/.alice` for `logs/alice.jsonl`.
 */
export function sideDirectory(path: FilePath): FilePath {
  return within(parentOf(path), `.${nameOf(path).replace(/\.jsonl$/, "")}`);
}
