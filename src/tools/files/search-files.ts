import type { SearchArea } from "../../workspace/workspace.ts";
import type { GlobPattern } from "./glob-pattern.ts";
import { exclusions, listFiles } from "./list-files.ts";
import { type Match, MatchParser } from "./match-parser.ts";
import { type RipgrepEnd, runRipgrep, type SearchRunner } from "./ripgrep.ts";

export interface SearchOptions {
  runner: SearchRunner;
  /** A regular expression in ripgrep's language. */
  pattern: string;
  area: SearchArea;
  /** Globs of excluded files. */
  excluded: readonly string[];
  /** Which files to search (default: all). */
  glob: GlobPattern | undefined;
  signal: AbortSignal;
  /** Gets the matches in order, and returns false when it needs no more. */
  onMatch(match: Match): boolean;
}

const maxListedFiles = 200_000;
/** Safely below the limit of any system for the arguments of a program. */
const maxArgumentBytes = 200_000;

const format = [
  "--null",
  "--line-number",
  "--byte-offset",
  "--with-filename",
  "--no-heading",
  // The unchanged bytes: matches are compared with the file.
  "--encoding=none",
];

/** Searches a file, or the files below a directory except those that .gitignore excludes. */
export async function searchFiles(options: SearchOptions): Promise<RipgrepEnd> {
  const { area, glob, excluded } = options;
  if (area.file !== undefined) {
    const isWanted = glob?.matches(area.file) ?? true;
    return isWanted ? searchIn(options, [`./${area.file}`]) : { type: "done" };
  }
  if (glob) return await searchListed(options, glob);
  return await searchIn(options, [...exclusions(excluded), "./"]);
}

/**
 * Lists files first and then searches by name: a glob must not include files that .gitignore
 * excludes.
 */
async function searchListed(options: SearchOptions, glob: GlobPattern): Promise<RipgrepEnd> {
  const files: string[] = [];
  const listed = await listFiles({
    ...options,
    directory: options.area.directory,
    onFile(file) {
      if (glob.matches(file)) files.push(`./${file}`);
      return files.length <= maxListedFiles;
    },
  });
  if (listed.type !== "done") return listed;
  if (files.length > maxListedFiles) {
    return { type: "failed", message: "Too many files match the glob. Name a directory in path." };
  }
  let isEnough = false;
  const onMatch = (match: Match) => {
    isEnough = !options.onMatch(match);
    return !isEnough;
  };
  for (const batch of batchesOf(files)) {
    const end = await searchIn({ ...options, onMatch }, batch);
    if (end.type !== "done" || isEnough) return end;
  }
  return { type: "done" };
}

function* batchesOf(files: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const file of files) {
    const size = Buffer.byteLength(file) + 1;
    if (bytes + size > maxArgumentBytes) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

async function searchIn(
  { runner, pattern, area, signal, onMatch }: SearchOptions,
  targets: readonly string[],
): Promise<RipgrepEnd> {
  const parser = new MatchParser();
  return await runRipgrep({
    runner,
    arguments: [...format, `--regexp=${pattern}`, ...targets],
    cwd: area.directory.location,
    signal,
    onOutput: (chunk) => parser.push(chunk).every(onMatch),
  });
}
