import { hunksOf, type LineEdit, lineEdits } from "../../lib/line-edits.ts";

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
