import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The files that this process runs, which no command of a member may change: its package and its Node. */
export function ownFiles(): string[] {
  let directory = import.meta.dirname;
  while (!existsSync(join(directory, "package.json")) && dirname(directory) !== directory) {
    directory = dirname(directory);
  }
  return [directory, process.execPath].filter((path) => path !== "/");
}
