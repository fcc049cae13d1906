import { rename } from "node:fs/promises";
import { join } from "node:path";
import { TeamError } from "../errors.ts";
import { type ChangedPath, changedPaths, submoduleMode } from "../git/changed-paths.ts";
import { copyIndex } from "../git/copy-index.ts";
import type { Git } from "../git/git.ts";
import { takeSnapshot } from "../git/snapshot.ts";
import { inTheWayOf } from "../lib/in-the-way.ts";
import { CommitId } from "../protocol/ids.ts";
import { type CheckoutToKeep, linksIn } from "./keep-work.ts";
import { indexPath } from "./make-checkout.ts";
import type { OpenGit } from "./own-repository.ts";
import { withScratch } from "./scratch.ts";
import type { ReadyCheckout } from "./team-checkouts.ts";

/** A state of a checkout that is kept. */
export interface KeptState {
  /** The number of the ref that keeps it; 0 for what the checkout began with. */
  number: number;
  /** The commit that has it. */
  commit: CommitId;
  /** When it was kept, in UTC. */
  at: string;
}

/** What going back to a kept state would do with the files of a checkout. */
export interface GoingBack {
  /** The state that the files would be in. */
  state: KeptState;
  /** The files that change, in the order of their paths. */
  files: { path: string; action: "restore" | "remove" }[];
  /** Ignored files, which nothing keeps, that would be overwritten. While there are any, going back is refused. */
  inTheWay: string[];
}

/** What going back to a kept state has done. */
export interface WentBack extends GoingBack {
  /** The state from before, to which the checkout can go back. */
  before: KeptState;
}

/** The states that a checkout can go back to, newest first. */
export async function keptStates({
  record,
  checkout,
  openGit,
}: ReadyCheckout): Promise<KeptState[]> {
  const { base: commit, created_at: begunAt, first_ref: first = 1 } = record;
  const { refs } = checkout;
  const git = await gitIn(openGit, checkout);
  const format = "--format=%(objectname) %(committerdate:unix) %(refname)";
  const listed = await git.text(["for-each-ref", format, refs]);
  const states = listed.split("\n").flatMap((line): KeptState[] => {
    const [id = "", seconds = "", ref = ""] = line.split(" ");
    const [, digits] = /^\/(\d{1,9})$/.exec(ref.slice(refs.length)) ?? [];
    if (digits === undefined || Number(digits) < first) return [];
    const at = new Date(Number(seconds) * 1000).toISOString();
    return [{ number: Number(digits), commit: CommitId.parse(id), at }];
  });
  states.push({ number: 0, commit, at: begunAt });
  return states.sort((a, b) => b.number - a.number);
}

/** Finds what would change if a checkout went back. It changes nothing. */
export async function previewGoingBack(ready: ReadyCheckout, number: number): Promise<GoingBack> {
  const { checkout, openGit } = ready;
  const { path, base, last, author, signal } = checkout;
  const state = await requireState(ready, number);
  const git = await gitIn(openGit, checkout);
  const without = await linksIn(checkout);
  const present = await withScratch(path, (scratch) =>
    takeSnapshot(git, {
      ...{ workTree: path, index: join(scratch, "index"), like: indexPath(path) },
      ...{ parents: [last ?? base], message: "A look\n", author, without, signal },
    }),
  );
  return await compare(git, { path, present, state });
}

/**
 * Keeps what a checkout holds, and makes its files those of an earlier state. No member may be working there. Throws
 * `checkout-failed` where something would be lost; then no file has changed.
 */
export async function goBack(ready: ReadyCheckout, number: number): Promise<WentBack> {
  const { checkout, openGit, keep } = ready;
  const { path, signal } = checkout;
  const state = await requireState(ready, number);
  await keep();
  const git = await gitIn(openGit, checkout);
  return await withScratch(path, async (scratch) => {
    const index = join(scratch, "index");
    await copyIndex(indexPath(path), index);
    const run = { index, signal, patienceMs: 600_000 };
    const present = await git.text(["write-tree"], run);
    const preview = await compare(git, { path, present, state });
    requireNothingInTheWay(preview, path);
    // It refuses to touch a file that is not as the index has it, before it changes any.
    await git.text(["read-tree", "-m", "-u", present, state.commit], run);
    await rename(index, indexPath(path));
    const [before = state] = await keptStates(ready);
    return { ...preview, before };
  });
}

function requireNothingInTheWay({ inTheWay }: GoingBack, path: string): void {
  if (inTheWay.length === 0) return;
  const named = inTheWay.slice(0, 10).join(", ");
  throw new TeamError("checkout-failed", `Ignored files are in the way: ${named}`, {
    hint: `They are not kept, and would be overwritten. Move them out of ${path}.`,
  });
}

async function requireState(ready: ReadyCheckout, number: number): Promise<KeptState> {
  const states = await keptStates(ready);
  const state = states.find((each) => each.number === number);
  if (state) return state;
  const { id } = ready.record;
  throw new TeamError("request-unknown", `There is no state ${number} of ${id}'s checkout`, {
    hint: `Its states: ${states.map((each) => each.number).join(", ")}.`,
  });
}

function gitIn(openGit: OpenGit, { path, repository }: CheckoutToKeep): Promise<Git> {
  return openGit({ cwd: path, repository: { gitDirectory: repository, workTree: path } });
}

async function compare(
  git: Git,
  { path, present, state }: { path: string; present: string; state: KeptState },
): Promise<GoingBack> {
  const changed = await changedPaths(git, [present, state.commit]);
  const removed = new Set(changed.filter(isRemoved).map((each) => each.path));
  const made = changed.filter(
    ({ modes: [before, after] }) => before === noFile && after !== submoduleMode,
  );
  const inTheWay = await Promise.all(
    made.map((each) => inTheWayOf(each.path, { top: path, removed })),
  );
  return {
    state,
    files: changed.map((each) => ({
      path: each.path,
      action: isRemoved(each) ? "remove" : "restore",
    })),
    inTheWay: [...new Set(inTheWay.filter((each) => each !== undefined))],
  };
}

const noFile = "000000";

function isRemoved({ modes: [, after] }: ChangedPath): boolean {
  return after === noFile;
}
