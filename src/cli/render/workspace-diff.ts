import type { FileDiff } from "../../team/diff/compare-file.ts";
import type { WorkspaceDiff } from "../../team/diff/workspace-diff.ts";
import { renderDiff } from "./diff.ts";
import { localTime } from "./local-time.ts";
import { oneLine } from "./one-line.ts";
import type { TextFormat } from "./paint.ts";
import { shown } from "./shown.ts";
import { wrapText } from "./wrap.ts";

/** What has changed in a workspace: first how much, then each file with its lines. */
export function renderWorkspaceDiff(diff: WorkspaceDiff, format: TextFormat): string[] {
  const { paint, width } = format;
  const remarks = [...diff.notes, ...(diff.more > 0 ? [`${diff.more} more files differ.`] : [])];
  return [
    ...wrapText(paint.bold(headOf(diff)), width),
    ...remarks.flatMap((line) => wrapText(paint.dim(oneLine(line)), width)),
    ...diff.files.flatMap((file) => ["", ...renderFile(file, format)]),
  ];
}

function headOf({ files, more, since }: WorkspaceDiff): string {
  const start =
    since.type === "prompt"
      ? `by the team's tools since your prompt of ${localTime(new Date(since.at))}`
      : "since the last commit";
  if (since.type === "nothing") return "No changes are known.";
  if (files.length === 0) return `Nothing has changed ${start}.`;
  const count = files.length + more;
  const sum = (key: "added" | "removed") => files.reduce((all, file) => all + file[key], 0);
  const lines = `${counted(sum("added"), "line")} added, ${sum("removed")} removed`;
  return `${counted(count, "file")} changed ${start}: ${lines}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

export function renderFile(
  { path, change, texts, reason }: FileDiff,
  format: TextFormat,
): string[] {
  const { paint, width } = format;
  const mark = change === "changed" ? "" : ` (${change === "added" ? "new" : "removed"})`;
  const why = reason === undefined ? "" : `: ${reason}`;
  const head = wrapText(`${paint.bold(shown(path))}${paint.dim(`${mark}${why}`)}`, width);
  if (!texts || texts.before === texts.after) return head;
  return [...head, ...renderDiff(texts.before, texts.after, format)];
}
