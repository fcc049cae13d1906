import type { Directory } from "../../workspace/directory.ts";
import { type RipgrepEnd, runRipgrep, type SearchRunner } from "./ripgrep.ts";

export interface ListOptions {
  runner: SearchRunner;
  directory: Directory;
  /** Globs of excluded files. */
  excluded: readonly string[];
  signal: AbortSignal;
  /** Gets each path, from `directory` on and in order; returns false when it needs no more. */
  onFile(path: string): boolean;
}

/** Lists the files below a directory, without those that .gitignore excludes. */
export async function listFiles(options: ListOptions): Promise<RipgrepEnd> {
  let rest = Buffer.of();
  return await runRipgrep({
    runner: options.runner,
    arguments: ["--files", "--null", ...exclusions(options.excluded), "./"],
    cwd: options.directory.location,
    signal: options.signal,
    onOutput(chunk) {
      const bytes = Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf(0) + 1;
      rest = bytes.subarray(end);
      const paths = bytes.toString("utf8", 0, end).split("\0").slice(0, -1);
      return paths.every((path) => options.onFile(path.slice("./".length)));
    },
  });
}

export function exclusions(globs: readonly string[]): string[] {
  return globs.map((glob) => `--glob=!${glob}`);
}
