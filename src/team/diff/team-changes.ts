import { join, relative } from "node:path";
import { contains } from "../../lib/contains.ts";
import { openIfThere } from "../../lib/content-file.ts";
import type { FileChangeRecord } from "../../protocol/file-change.ts";
import { lead, user } from "../../protocol/ids.ts";
import type { TranscriptEntry } from "../../protocol/transcript.ts";
import { mailOf } from "../../transcript/transcript.ts";
import { FileHistory } from "../../workspace/file-history.ts";
import { findOwnership } from "../ownership.ts";
import { teamLayout } from "../team-layout.ts";
import type { TeamPlace } from "../team-place.ts";
import { FileTeamView } from "../view/file-team-view.ts";
import type { PageCursor } from "../view/team-view.ts";
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
  place: TeamPlace,
  { root, limit }: TeamChangesOptions,
): Promise<FoundChanges> {
  const history = await openHistory(place);
  const since = history && (await lastPrompt(place));
  if (!history || since?.type !== "prompt") {
    const notes = ["You have not prompted this team yet, so there are no changes to show."];
    return { since: { type: "nothing" }, candidates: [], more: 0, notes };
  }
  const { changes, isWhole } = await history.since(new Date(since.at));
  const first = new Map<string, FileChangeRecord>();
  for (const change of changes) {
    const isAsked = contains(root, change.path) && contains(join(root, limit), change.path);
    if (isAsked && !first.has(change.path)) first.set(change.path, change);
  }
  const shown = [...first.values()].slice(0, maxFiles);
  const candidates = shown.map((change): Candidate => {
    return { path: relative(root, change.path), before: contentBefore(change, history) };
  });
  const notes = [
    "Changes made by commands are not shown: that needs git.",
    ...(isWhole ? [] : ["There were so many changes that the earliest are no longer known."]),
  ];
  return { since, candidates, more: first.size - shown.length, notes };
}

function contentBefore(
  { before }: FileChangeRecord,
  history: Pick<FileHistory, "content">,
): VersionContent {
  if (before === null) return { type: "missing" };
  const bytes = history.content(before);
  return bytes
    ? { type: "content", bytes }
    : { type: "unknown", reason: "its earlier content is not kept" };
}

/** Undefined where the team is not the person's: its files decide nothing, and show nothing. */
async function openHistory(place: TeamPlace): Promise<FileHistory | undefined> {
  const { directory, clock, onWarning } = place;
  using held = openIfThere(directory);
  const owner = held && (await findOwnership(held.to(), place));
  if (owner?.type !== "own") return undefined;
  return new FileHistory({
    ...{ directory: teamLayout(directory).checkpoints, signer: owner.signature, clock, onWarning },
    // It is only read.
    secrets: { mask: (text) => text },
  });
}

const pageEntries = 200;
/** So many entries of the lead are looked through for a prompt. */
const maxPages = 50;

async function lastPrompt(place: TeamPlace): Promise<DiffStart> {
  const view = new FileTeamView(place);
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
