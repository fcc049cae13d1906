import { TeamError } from "../errors.ts";
import { isUnlanded, type Landing, tellingReason } from "../protocol/landing.ts";
import type { BroughtWork } from "../team/landings/bring-landed.ts";
import type { LandingChanges } from "../team/landings/landing-changes.ts";
import type { TeamView } from "../team/view/team-view.ts";
import { table } from "./render/columns.ts";
import { changeCounts, landingState, waitsForPerson } from "./render/landing.ts";
import { oneLine } from "./render/one-line.ts";
import { shown } from "./render/shown.ts";
import { counted } from "./render/workspace-diff.ts";

/** A landing, and what it changes; a sentence where that cannot be found out. */
export interface ListedLanding {
  landing: Landing;
  changes: LandingChanges | string;
}

/** What is not in its target, and the newest of each member, oldest first. */
export async function listLandings(view: TeamView): Promise<ListedLanding[]> {
  const landings = await view.landings();
  const newest = new Map(landings.map((landing) => [landing.member, landing]));
  const listed = landings.filter((each) => isUnlanded(each) || newest.get(each.member) === each);
  const found: ListedLanding[] = [];
  for (const landing of listed) {
    found.push({ landing, changes: await changesOf(view, landing) });
  }
  return found;
}

async function changesOf(view: TeamView, { id }: Landing): Promise<LandingChanges | string> {
  try {
    return await view.landingChanges(id);
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return error.message;
  }
}

/** `command` is what the lines that say what to do begin with: `troupe ` or `/`. */
export function listLines(listed: readonly ListedLanding[], command: string): string[] {
  if (listed.length === 0) {
    return ["No member has handed in work from a checkout of its own."];
  }
  const rows = listed.map(({ landing, changes }) => [
    landing.id,
    landing.member,
    landingState(landing),
    typeof changes === "string" ? oneLine(changes, 80) : changeCounts(changes),
  ]);
  const heads = table(rows, (column) => column === 0);
  const lines = listed.flatMap(({ landing }, index) => [
    `  ${heads[index]}`,
    ...detailsOf(landing).map((text) => `       ${oneLine(text, 300)}`),
  ]);
  return [...lines, "", ...nextSteps(listed, command)];
}

function detailsOf({ reason, files, check }: Landing): string[] {
  const telling = tellingReason(reason);
  return [
    ...(telling === undefined ? [] : [telling]),
    ...(files.length > 0 ? [files.join(", ")] : []),
    ...(check ? [`${check.command}: ${check.reason}`] : []),
  ];
}

function nextSteps(listed: readonly ListedLanding[], command: string): string[] {
  const [open] = listed.filter(({ landing }) => isUnlanded(landing));
  const landed = listed.filter(({ landing }) => landing.state === "landed");
  const targets = [...new Set(landed.map(({ landing }) => landing.target))].join(" and ");
  const name = open?.landing.member ?? listed[0]?.landing.member;
  const flag = command === "/" ? "" : " --diff";
  return [
    `${command}changes ${name}${flag} shows every line of one.`,
    ...(open
      ? [`${command}land ${name} lets it land; ${command}discard ${name} leaves it out.`]
      : []),
    ...(landed.length > 0
      ? [`${command}land brings ${oneLine(targets)} to the branch that you have checked out.`]
      : []),
  ];
}

/** What the person can do with one landing. */
export function decisionSteps(landing: Landing, command: string): string[] {
  const { member, state } = landing;
  if (state === "landed")
    return [`${command}land brings it to the branch that you have checked out.`];
  if (!isUnlanded(landing)) return [];
  const again = waitsForPerson(landing) ? "lets it land" : "has it tried again";
  return [`${command}land ${member} ${again}; ${command}discard ${member} leaves it out.`];
}

const maxListed = 30;

/** What came of bringing a target to the person's branch. */
export function broughtLines(brought: BroughtWork, command: string): string[] {
  const target = oneLine(brought.target);
  const branch = oneLine(brought.branch);
  switch (brought.type) {
    case "nothing":
      return [`${branch} has all of ${target} already.`];
    case "brought": {
      const { files, isMerge } = brought;
      const how = isMerge ? `${branch} is merged with ${target}` : `${branch} is at ${target} now`;
      return [`${how}: ${counted(files.length, "file")} changed.`, ...listed(files)];
    }
    case "conflict":
      return [
        `${branch} cannot be merged with ${target}; nothing has changed. In conflict:`,
        ...listed(brought.files),
        `To solve it yourself: git merge ${target}`,
      ];
    case "blocked": {
      const { files, written } = brought;
      const rows = files.map(({ path, reason }) => `${oneLine(path)}: ${reason}`);
      const done = written > 0 ? ` ${counted(written, "other file")} changed already.` : "";
      return [
        `${branch} stays where it is, so that nothing of yours is lost.${done} In the way of ${target}:`,
        ...listed(rows),
        `Commit, stash or move them, then ${command}land again. Or let git do it: git merge ${target}`,
      ];
    }
  }
}

function listed(paths: readonly string[]): string[] {
  const more = paths.length - maxListed;
  return [
    ...paths.slice(0, maxListed).map((path) => `  ${shown(oneLine(path))}`),
    ...(more > 0 ? [`  … ${more} more`] : []),
  ];
}
