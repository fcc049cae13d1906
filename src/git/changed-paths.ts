import type { Git } from "./git.ts";

/** A path that is not the same in two trees. */
export interface ChangedPath {
  path: string;
  /** As git writes it, such as `100644`; `000000` where there is none. */
  modes: readonly [before: string, after: string];
  /** The object before and after; zeros where there is none. */
  objects: readonly [before: string, after: string];
}

/** The mode of a commit of another repository. */
export const submoduleMode = "160000";

/** What differs between two trees or commits. Renames are a removal and a new file. */
export async function changedPaths(
  git: Git,
  [before, after]: readonly [string, string],
): Promise<ChangedPath[]> {
  const compared = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"];
  const fields = (await git.text([...compared, before, after])).split("\0");
  const changed: ChangedPath[] = [];
  // `:100644 100755 <object> <object> M`, then the path.
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [from = "", to = "", old = "", fresh = ""] = (fields[index] ?? "").slice(1).split(" ");
    changed.push({ path: fields[index + 1] ?? "", modes: [from, to], objects: [old, fresh] });
  }
  return changed;
}
