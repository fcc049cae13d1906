import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Where the built page is: in `dist/web` of the package, which is one or two levels above, from the
 * source, the library's files and the command line's.
 */
export function pageDirectory(): string {
  const [nearest = "", ...others] = ["..", "../.."].map((up) =>
    join(import.meta.dirname, up, "dist/web"),
  );
  return [nearest, ...others].find((path) => existsSync(path)) ?? nearest;
}
