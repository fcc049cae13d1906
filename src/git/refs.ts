import type { Git } from "./git.ts";

export interface RefChange {
  /** Its whole name. */
  ref: string;
  /** The object that it must name until now; undefined where there must be no such ref. */
  from: string | undefined;
  to: string;
}

/** The object that a ref names, if there is one. */
export async function readRef(git: Git, ref: string): Promise<string | undefined> {
  const { code, output } = await git.run(["rev-parse", "-q", "--verify", `${ref}^{object}`]);
  return code === 0 ? output.toString("utf8").trim() : undefined;
}

/** Moves a ref. False where it names another object than expected; true too where it has been moved already. */
export async function moveRef(git: Git, { ref, from, to }: RefChange): Promise<boolean> {
  const expected = from ?? "0".repeat(to.length);
  const argv = ["update-ref", "--no-deref", ref, to, expected];
  if ((await git.run(argv)).code === 0) return true;
  const now = await readRef(git, ref);
  if (now === to) return true;
  if (now !== from) return false;
  // Not because of its value: this says why, or succeeds when another one has let go of the lock.
  await git.text(argv);
  return true;
}
