import { join } from "node:path";
import { includedFiles } from "./included-files.ts";
import type { ListedCheckout } from "./listed-checkouts.ts";
import type { OpenGit } from "./own-repository.ts";
import { withScratch } from "./scratch.ts";

const patienceMs = 600_000;

/**
 * The ignored files of a checkout that `.worktreeinclude` does not name: no ref keeps them. A directory that has
 * nothing else is named as one, with a slash.
 */
export async function unkeptFiles(
  openGit: OpenGit,
  { path, repository, base }: Pick<ListedCheckout, "path" | "repository" | "base">,
): Promise<string[]> {
  const git = await openGit({
    cwd: path,
    repository: { gitDirectory: repository, workTree: path },
  });
  return await withScratch(path, async (scratch) => {
    const index = join(scratch, "index");
    const run = { index, patienceMs };
    await git.text(["read-tree", base], run);
    const ignored = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard"];
    const [all, short] = await Promise.all([
      git.run(ignored, run),
      git.text([...ignored, "--directory"], run),
    ]);
    const included = new Set(await includedFiles({ git, from: path, without: [], index }));
    const unkept = pathsIn(all.output.toString("utf8")).filter((file) => !included.has(file));
    const isUnkept = (entry: string) =>
      all.isCut || unkept.some((file) => file === entry || file.startsWith(entry));
    return pathsIn(short).filter((entry) =>
      entry.endsWith("/") ? isUnkept(entry) : !included.has(entry),
    );
  });
}

function pathsIn(output: string): string[] {
  return output.split("\0").filter((path) => path !== "");
}
