import { hunksOf, type LineEdit, lineEdits } from "../../lib/line-edits.ts";
import type { ChangeKeeper } from "../../workspace/change-keepers.ts";
import type { FileLocks } from "../../workspace/file-locks.ts";
import type { Place } from "../../workspace/place.ts";
import type { FileComparison, SeenFiles } from "../../workspace/seen-files.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { failure, type ToolOutput } from "../tool.ts";
import type { SearchRunner } from "./ripgrep.ts";

/** The dependencies of the file tools of one member. */
export interface FileAccess {
  readonly workspace: Workspace;
  /** False for a file that a rule keeps from being read. */
  mayRead(place: Place): boolean;
  readonly seenFiles: SeenFiles;
  /** Shared by all members of the process. */
  readonly locks: FileLocks;
  /** What files had in them before a change is kept there. */
  readonly history: ChangeKeeper;
  /** Starts searches. */
  readonly runner: SearchRunner;
}

export type SearchAccess = Pick<FileAccess, "workspace" | "mayRead" | "runner">;

/** The new content of a file and the message for the model, or why the file is not changed. */
export type Change = { content: Buffer; report: string } | { refusal: string };

export interface FileChange {
  path: string;
  makesDirectories: boolean;
  /** `current` is undefined if there is no such file. */
  compose(current: Buffer | undefined): Change;
}

/**
 * How often a file may change between read and write before the member is asked to try again later.
 */
const maxAttempts = 5;
const maxShownCharacters = 8000;

/**
 * Changes a file, unless that would undo a change that the member does not know. Members of one
 * process take turns; changes by other processes are noticed until the moment before the new file
 * replaces the old one.
 */
export async function changeFile(
  { workspace, seenFiles, locks, history }: FileAccess,
  { path, makesDirectories, compose }: FileChange,
): Promise<ToolOutput> {
  const place = await workspace.locateTarget(path);
  return await locks.run(place.real, async () => {
    await using target = await workspace.openTarget(place, { makesDirectories });
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const current = await target?.read();
      const comparison = seenFiles.compare(place.real, current?.content);
      if (comparison.type !== "known") {
        return failure(learn({ path, real: place.real, comparison, seenFiles }, current?.content));
      }
      const change = compose(current?.content);
      if ("refusal" in change) return failure(change.refusal);
      const { root } = workspace;
      const contents = { before: current?.content, after: change.content };
      await history.keep({ root, path: place.real, ...contents });
      if (await target?.replace(current, change.content)) {
        seenFiles.note(place.real, change.content);
        return { text: change.report, isError: false };
      }
    }
    return failure(`Error: ${path} keeps changing, and was left as it is. Try again later.`);
  });
}

interface Lesson {
  path: string;
  real: string;
  comparison: Exclude<FileComparison, { type: "known" }>;
  seenFiles: SeenFiles;
}

/** Shows the member the current content. If it is shown whole, the member knows it from then on. */
function learn({ path, real, comparison, seenFiles }: Lesson, now: Buffer = Buffer.of()): string {
  switch (comparison.type) {
    case "unread":
      return `Error: ${path} exists and you have not read it: read it first with read_file.`;
    case "deleted":
      seenFiles.forget(real);
      return `Error: ${path} was deleted since you read it. If it is to exist again, make it with write_file.`;
    case "changed": {
      const shown = changeShown(comparison.before, now);
      if (shown.isWhole) seenFiles.note(real, now);
      const next = shown.isWhole
        ? "If your change is still right, adapt it and make it again."
        : "Read it again with read_file first.";
      return `Error: ${path} has changed since you read it. Nothing was written. ${next}\n${shown.text}`;
    }
  }
}

function changeShown(before: Buffer | undefined, now: Buffer): { text: string; isWhole: boolean } {
  const diff = before && lineDiff(before.toString("utf8"), now.toString("utf8"));
  if (diff && diff.length <= maxShownCharacters) return { text: diff, isWhole: true };
  const lines = (content: Buffer) => content.toString("utf8").split("\n").length;
  const was = before ? `had ${lines(before)} lines` : "was another";
  return { text: `It ${was} and now has ${lines(now)} lines.`, isWhole: false };
}

/** With more changes than this, a diff is less useful than the file itself. */
const maxChanges = 400;

const marks = { kept: " ", removed: "-", added: "+" } as const;

/** A unified diff of two texts, without file names. Undefined if the texts differ too much. */
export function lineDiff(before: string, after: string): string | undefined {
  const [old, young] = [before.split("\n"), after.split("\n")];
  const edits = lineEdits(old, young);
  if (edits.filter(({ type }) => type !== "kept").length > maxChanges) return undefined;
  const lineOf = ({ type, before, after }: LineEdit) =>
    marks[type] + ((type === "added" ? young[after] : old[before]) ?? "");
  const hunks = hunksOf(edits).map(({ from, to }) => {
    const first = edits[from];
    const head = first && `@@ -${first.before + 1} +${first.after + 1} @@`;
    return [head, ...edits.slice(from, to).map(lineOf)];
  });
  return hunks.flat().join("\n");
}
