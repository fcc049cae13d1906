import { lineEdits } from "../../lib/line-edits.ts";
import type { Candidate, VersionContent } from "./changes.ts";

/** What has changed in a file. */
export interface FileDiff {
  /** Its path in the workspace, with `/`. */
  path: string;
  /** What happened to it. */
  change: "added" | "changed" | "removed";
  /** Both texts, empty where there was no file; undefined for a file that is only named. */
  texts: { before: string; after: string } | undefined;
  /** Why it is only named, such as `binary`. */
  reason: string | undefined;
  /** How many lines were added. */
  added: number;
  /** How many lines were removed. */
  removed: number;
}

/** Beyond so much, files are only named. */
export const maxAllBytes = 16 * 1024 * 1024;

/** Undefined where the file is as it was. */
export function compareFile(
  { path, before, after }: Candidate & { after: VersionContent },
  room: number,
): FileDiff | undefined {
  if (before.type === "missing" && after.type === "missing") return undefined;
  const change =
    before.type === "missing" ? "added" : after.type === "missing" ? "removed" : "changed";
  const named = (reason: string): FileDiff => ({
    ...{ path, change, reason, texts: undefined, added: 0, removed: 0 },
  });
  for (const content of [before, after]) {
    if (content.type === "unknown") return named(content.reason);
  }
  const [old, young] = [bytesOf(before), bytesOf(after)];
  if (change === "changed" && old.equals(young)) return undefined;
  if (isBinary(old) || isBinary(young)) return named("binary");
  if (old.length + young.length > room) return named("there is too much to show");
  const texts = { before: old.toString("utf8"), after: young.toString("utf8") };
  return { path, change, texts, reason: undefined, ...counted(texts) };
}

/** How much of the room for texts a file takes. */
export function sizeOf({ texts }: FileDiff): number {
  return texts ? texts.before.length + texts.after.length : 0;
}

function bytesOf(content: VersionContent): Buffer {
  return content.type === "content" ? content.bytes : Buffer.alloc(0);
}

/** As git judges it: by a zero byte near the beginning. */
function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0);
}

function counted({ before, after }: { before: string; after: string }) {
  const edits = lineEdits(linesOf(before), linesOf(after));
  const count = (type: string) => edits.filter((edit) => edit.type === type).length;
  return { added: count("added"), removed: count("removed") };
}

/** With their ends, so that a newline that is missing counts. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
