import { showHidden } from "../../permissions/show-hidden.ts";
import type {
  BroughtView,
  CheckoutsView,
  CleanedView,
  DiffLine,
  LandingChangesView,
  LandingView,
} from "../../protocol/dashboard.ts";
import { isOnItsWay, isUnlanded, type Landing } from "../../protocol/landing.ts";
import type { BroughtWork } from "../../team/landings/bring-landed.ts";
import type { LandingChanges } from "../../team/landings/landing-changes.ts";
import type { CleanedCheckouts, TeamView } from "../../team/view/team-view.ts";
import { diffLines } from "./diff-lines.ts";

/** So many of those that are over are shown. */
const shownOver = 50;
const maxFiles = 100;

/** What is not in its target, and the newest of the others, oldest first. */
export function landingViews(landings: readonly Landing[]): LandingView[] {
  const over = landings.filter((each) => !isUnlanded(each)).slice(-shownOver);
  return landings.filter((each) => isUnlanded(each) || over.includes(each)).map(landingView);
}

function landingView(landing: Landing): LandingView {
  const { id, member, target, state, attempt, commit, ref, reason, files, check } = landing;
  const { replaced_by, created_at, updated_at } = landing;
  const isOver = state === "landed" || state === "replaced";
  return {
    ...{ id, member, state, attempt, commit, ref, replaced_by, created_at, updated_at },
    target: showHidden(target),
    can_land: !isOver && !isOnItsWay(landing),
    can_discard: !isOver && state !== "discarded",
    reason: reason === null ? null : showHidden(reason),
    files: files.slice(0, maxFiles).map(showHidden),
    check: check && {
      command: showHidden(check.command),
      reason: showHidden(check.reason),
      output: showHidden(check.output),
    },
  };
}

/** A page with more lines would be slow. */
const maxLines = 5_000;

export function landingChangesView({ landing, files, more }: LandingChanges): LandingChangesView {
  let lines = 0;
  const shown = files.map(({ path, change, texts, reason = null, added, removed }) => {
    const diff = texts && lines < maxLines ? diffLines(texts.before, texts.after) : null;
    lines += diff?.length ?? 0;
    return {
      ...{ path: showHidden(path), change, added, removed },
      diff: diff satisfies DiffLine[] | null,
      reason: reason ?? (diff ? null : "there is too much to show"),
    };
  });
  return { id: landing.id, commit: landing.commit, files: shown, more };
}

export function broughtView(brought: readonly BroughtWork[]): BroughtView {
  const results = brought.map((work) => {
    const files = filesOf(work);
    const shown = files.slice(0, maxFiles).map(({ path, reason }) => ({
      ...{ path: showHidden(path), reason },
    }));
    return {
      ...{ type: work.type, target: showHidden(work.target), branch: showHidden(work.branch) },
      ...{ files: shown, more: files.length - shown.length },
    };
  });
  return { results };
}

function filesOf(work: BroughtWork): { path: string; reason: string | null }[] {
  switch (work.type) {
    case "nothing":
      return [];
    case "blocked":
      return work.files;
    case "brought":
    case "conflict":
      return work.files.map((path) => ({ path, reason: null }));
  }
}

export function cleanedView({ removed, stayed }: CleanedCheckouts): CleanedView {
  return {
    removed: removed.length,
    stayed: stayed.map(({ checkout: { member }, reason }) => ({
      ...{ member, reason: showHidden(reason) },
    })),
  };
}

/** The checkouts of a team, with what they take of the disk. That can take seconds. */
export async function checkoutsView(view: TeamView): Promise<CheckoutsView> {
  const listed = await view.checkouts();
  const checkouts: CheckoutsView["checkouts"][number][] = [];
  for (const { member, state, path, since } of listed) {
    const { bytes, unkept } = await view.inspectCheckout(path);
    checkouts.push({ member, state, path, since, bytes, unkept: unkept?.slice(0, maxFiles) ?? [] });
  }
  return { checkouts };
}
