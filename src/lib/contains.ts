import { sep } from "node:path";

/** True for a directory, and for everything in it. Both are real paths, or relative to one place, which is `""`. */
export function contains(directory: string, path: string): boolean {
  const beginning = directory === "" || directory.endsWith(sep) ? directory : directory + sep;
  return path === directory || path.startsWith(beginning);
}
