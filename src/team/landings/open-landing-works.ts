import { join } from "node:path";
import { changedPaths } from "../../git/changed-paths.ts";
import { Git } from "../../git/git.ts";
import { requireRepository } from "../../git/repository.ts";
import { stateDirectory } from "../../keys/team-key.ts";
import { LandingQueue } from "../../landing/landing-queue.ts";
import { isProtected } from "../../permissions/protected-paths.ts";
import { system } from "../../protocol/ids.ts";
import type { Landing, LandingCheck } from "../../protocol/landing.ts";
import { checkRunner } from "../command-runner-of.ts";
import type { Equipment } from "../equipment.ts";
import { type LandingReview, refusalOf } from "../hooks/team-hooks.ts";
import { LandingChecks } from "./landing-checks.ts";
import type { LandingWorks, QueueParts } from "./team-landings.ts";

export interface LandingWorksOptions {
  /** A directory in the person's repository. */
  root: string;
  /** The command that must pass (default: nothing is checked). */
  check: string | undefined;
  checkTimeoutMs: number;
}

/** Opens what brings landings to the target. Throws `repository-unusable`, `git-missing` and `git-too-old`. */
export async function openLandingWorks(
  equipment: Equipment,
  options: LandingWorksOptions,
  { tell, ...parts }: QueueParts,
): Promise<LandingWorks> {
  const gits = await personsGits(equipment, options.root);
  const git = await gits.open();
  const { check, checkTimeoutMs: timeoutMs } = options;
  const checks =
    check === undefined
      ? undefined
      : await openChecks(equipment, { gits, command: check, timeoutMs });
  const queue = new LandingQueue({
    ...{ ...parts, git },
    isProtected: (relative) =>
      isProtected({ relative, real: join(gits.top, relative), isInside: true }, []),
    check: async (commit, signal, landing) =>
      (await checks?.run(commit, signal)) ?? (await reviewLanding(equipment, { landing, signal })),
    tell: async (landing) => tell(landing, await landedFiles(git, landing)),
  });
  return {
    queue,
    async [Symbol.asyncDispose]() {
      await checks?.[Symbol.asyncDispose]();
    },
  };
}

/** What a hook has against a landing, as a check that it has not passed. */
async function reviewLanding(
  { hooks, place }: Equipment,
  review: LandingReview,
): Promise<LandingCheck | undefined> {
  const { beforeLanding } = hooks;
  if (!beforeLanding || review.signal.aborted) return undefined;
  const ask = () => beforeLanding(review);
  const output = await refusalOf("beforeLanding", ask, place.onWarning);
  if (output === undefined) return undefined;
  return { command: "LandingReady", exit_code: null, reason: "A hook refuses it", output };
}

/** Git in the person's repository, with no files or with those of another directory. */
async function personsGits({ environment: env, programs }: Equipment, root: string) {
  const found = await requireRepository(await Git.open({ cwd: root, env, programs }));
  const { top, gitDirectory } = found;
  return {
    top,
    open: (workTree?: string) =>
      Git.open({ cwd: workTree ?? top, env, programs, repository: { gitDirectory, workTree } }),
  };
}

async function openChecks(
  equipment: Equipment,
  {
    gits,
    ...command
  }: { gits: Awaited<ReturnType<typeof personsGits>>; command: string; timeoutMs: number },
): Promise<LandingChecks> {
  // What was started for a check of an earlier process no longer belongs to anybody.
  await equipment.endOrphans(system);
  const { team_id } = await equipment.store.roster.read();
  return new LandingChecks({
    ...command,
    directory: join(stateDirectory(equipment.place.keyPlace), "checks", team_id),
    openGit: (tree) => gits.open(tree),
    openRunner: (tree) => checkRunner(equipment, tree),
  });
}

/** The files that a landing has changed in the target. */
async function landedFiles(
  git: Git,
  { state, onto, merge_commit: commit }: Landing,
): Promise<string[]> {
  if (state !== "landed" || onto === null || commit === null) return [];
  return (await changedPaths(git, [onto, commit])).map(({ path }) => path);
}
