import { hunksOf, type LineEdit, lineEdits } from "../../lib/line-edits.ts";

/** Of more changes than these a diff says less than the file itself. */
const maxChanges = 400;

const marks = { kept: " ", removed: "-", added: "+" } as const;

/**
 * What changed from one text to the other, as a unified diff without file names. Undefined where
 * the texts differ in too much.
 */
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
