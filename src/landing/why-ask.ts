import { changedPaths, submoduleMode } from "../git/changed-paths.ts";
import type { Git } from "../git/git.ts";
import { landingIsAsked } from "../protocol/landing.ts";

interface LandingToJudge {
  git: Git;
  asks: boolean;
  isProtected(path: string): boolean;
  /** The commit of the target. */
  tip: string;
  /** What the target would have. */
  tree: string;
}

const maxNamed = 10;

/** Why a landing needs the person's decision; undefined if it needs none. */
export async function whyAsk(landing: LandingToJudge): Promise<string | undefined> {
  const { git, asks, isProtected, tip, tree } = landing;
  const changed = await changedPaths(git, [tip, tree]);
  const guarded = changed.filter(({ path }) => isProtected(path));
  const submodules = changed.filter(({ modes }) => modes.includes(submoduleMode));
  const reasons = [
    ...(guarded.length > 0
      ? [`It changes files that make other programs run code: ${named(guarded)}`]
      : []),
    ...(submodules.length > 0 ? [`It changes submodules: ${named(submodules)}`] : []),
  ];
  if (reasons.length > 0) return reasons.join(". ");
  return asks ? landingIsAsked : undefined;
}

function named(changed: readonly { path: string }[]): string {
  const shown = changed.slice(0, maxNamed).map(({ path }) => path);
  const more = changed.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
