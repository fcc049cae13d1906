import { join, relative } from "node:path";
import { contains } from "../../lib/contains.ts";
import { lead, user } from "../../protocol/ids.ts";
import type { TranscriptEntry } from "../../protocol/transcript.ts";
import { mailOf } from "../../transcript/transcript.ts";
import type { KnownChange } from "../../workspace/change-history.ts";
import { isOwnTeam } from "../describe-team.ts";
import type { PageCursor, TeamView } from "../view/team-view.ts";
import {
  type Candidate,
  type DiffStart,
  type FoundChanges,
  maxFiles,
  type VersionContent,
} from "./changes.ts";

interface TeamChangesOptions {
  /** The real path of the workspace. */
  root: string;
  /** A path in it; empty for all of it. */
  limit: string;
}

/** What the team's own tools have changed since the last prompt of the person. */
export async function findTeamChanges(
  view: TeamView,
  { root, limit }: TeamChangesOptions,
): Promise<FoundChanges> {
  // The files of somebody else's team decide nothing, and show nothing.
  const since = (await isOwnTeam(view)) ? await lastPrompt(view) : undefined;
  if (since?.type !== "prompt") {
    const notes = ["You have not prompted this team yet, so there are no changes to show."];
    return { since: { type: "nothing" }, candidates: [], more: 0, notes };
  }
  const { changes, isWhole } = await view.fileChanges(new Date(since.at));
  const first = new Map<string, KnownChange>();
  for (const change of changes) {
    const isAsked = contains(root, change.path) && contains(join(root, limit), change.path);
    if (isAsked && !first.has(change.path)) first.set(change.path, change);
  }
  const shown = [...first.values()].slice(0, maxFiles);
  const candidates: Candidate[] = [];
  for (const change of shown) {
    const before = await contentBefore(change, view);
    candidates.push({ path: relative(root, change.path), before });
  }
  const notes = [
    "Changes made by commands are not shown: that needs git.",
    ...(isWhole ? [] : ["There were so many changes that the earliest are no longer known."]),
  ];
  return { since, candidates, more: first.size - shown.length, notes };
}

async function contentBefore({ before }: KnownChange, view: TeamView): Promise<VersionContent> {
  if (before === null) return { type: "missing" };
  const bytes = await view.fileContent(before);
  return bytes
    ? { type: "content", bytes }
    : { type: "unknown", reason: "its earlier content is not kept" };
}

const pageEntries = 200;
/** So many entries of the lead are looked through for a prompt. */
const maxPages = 50;

async function lastPrompt(view: TeamView): Promise<DiffStart> {
  let before: PageCursor | null | undefined;
  let voids = 0;
  for (let page = 0; page < maxPages && before !== null; page++) {
    const read = await view.transcript(lead, { before, limit: pageEntries });
    for (const { entry } of read.entries.toReversed()) {
      if (entry && voids === 0) {
        const found = promptIn(entry);
        if (found) return found;
      }
      voids = Math.max(voids - 1, entry?.type === "rewind" ? entry.voids : 0);
    }
    before = read.before;
  }
  return { type: "nothing" };
}

function promptIn(entry: TranscriptEntry): DiffStart | undefined {
  const mail = mailOf(entry).find(({ message: { from, type } }) => {
    return from === user && (type === "message" || type === "broadcast");
  });
  return mail && { type: "prompt", at: entry.at, text: mail.message.content };
}
