import { randomUUID } from "node:crypto";
import { readdir, readlink, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrno, onErrno, TeamError } from "../errors.ts";
import { contains } from "../lib/contains.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import { removeTree } from "../lib/remove-tree.ts";
import { keepWork, newestKept } from "./keep-work.ts";
import type { ListedCheckout } from "./listed-checkouts.ts";
import { indexPath } from "./make-checkout.ts";
import type { OpenGit } from "./own-repository.ts";

/** In the directory of a team's checkouts: those that nobody works in, and what is being removed. */
export const retiredDirectory = "retired";
export const removingDirectory = "removing";

export interface RemoveOptions {
  checkout: ListedCheckout;
  teamId: string;
  now: Date;
  signal?: AbortSignal | undefined;
}

/**
 * Removes the files of a retired checkout, when all that it has is kept in the person's repository. Throws
 * `checkout-failed` where that is impossible, or something still runs in it; then it stays. Any process may do this,
 * because nobody else uses a retired checkout.
 */
export async function removeRetired(
  openGit: OpenGit,
  { checkout, teamId, now, signal }: RemoveOptions,
): Promise<void> {
  const { member, path, repository, base, state, isEarlier } = checkout;
  if (state !== "retired" || basename(dirname(path)) !== retiredDirectory) {
    throw stays(checkout, `it is ${state}`);
  }
  await requireUnused(checkout);
  const refs = `refs/troupe/${teamId}/${member}`;
  const git = await openGit({ cwd: repository, repository: { gitDirectory: repository } });
  const last = isEarlier ? checkout.kept : (await newestKept(git, refs))?.commit;
  const author = { name: member, email: `${member}@troupe.invalid`, at: now };
  const { problem } = await keepWork(openGit, {
    ...{ path, repository, base, refs, last, links: [], author, signal, isEarlier },
  });
  if (problem !== undefined) throw stays(checkout, `its commits cannot be kept: ${problem}`);
  await removeFiles(path);
}

/** It is moved away first, so that a crash does not leave half of it in its place. */
async function removeFiles(path: string): Promise<void> {
  const directory = dirname(dirname(path));
  const removing = join(directory, removingDirectory);
  await ensurePrivateDirectory(removing);
  const away = join(removing, `${basename(path)}-${randomUUID()}`);
  // Another process may have been faster.
  await rename(path, away).catch(onErrno(undefined, "ENOENT"));
  await removeTree(away);
  await rm(indexPath(path), { force: true });
  // A repository that its member had damaged lies where the checkout was.
  await removeTree(join(directory, `${basename(path)}.git-before`));
}

/** Throws while a process works in it, which must not lose its files. */
async function requireUnused(checkout: ListedCheckout): Promise<void> {
  const pids = await processesIn(checkout.path);
  if (pids.length > 0) throw stays(checkout, `process ${pids.join(", ")} still runs in it`);
}

/** The processes whose working directory is in `path`, as far as the system shows it. */
async function processesIn(path: string): Promise<number[]> {
  const names = await readdir("/proc").catch(onErrno([], "ENOENT"));
  const found: number[] = [];
  for (const name of names.filter((it) => /^\d+$/.test(it))) {
    const cwd = await readlink(`/proc/${name}/cwd`).catch((error: unknown) => {
      if (hasErrno(error, "ENOENT", "EACCES", "EPERM", "ESRCH")) return undefined;
      throw error;
    });
    if (cwd !== undefined && contains(path, cwd)) found.push(Number(name));
  }
  return found;
}

function stays({ member, path }: ListedCheckout, why: string): TeamError {
  return new TeamError("checkout-failed", `The checkout of '${member}' was not removed: ${why}`, {
    hint: `Its files are in ${path}.`,
  });
}
