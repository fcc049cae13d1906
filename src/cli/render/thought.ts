import type { TextFormat } from "./paint.ts";
import { shown } from "./shown.ts";
import { wrapText } from "./wrap.ts";

/** A member's thought, dim: how long it is, or all of it if the person wants to see thoughts. */
export function renderThought(text: string, format: TextFormat, isOver: boolean): string[] {
  const { width, paint, isWhole = false, showsThoughts = isWhole } = format;
  const lines = shown(text.trim()).split("\n");
  const head = isOver ? "thought" : "thinking…";
  if (!showsThoughts) {
    const count = `${lines.length} ${lines.length === 1 ? "line" : "lines"}`;
    return [paint.dim(`  ${head}${isOver ? "," : ""} ${count}`)];
  }
  return [head, ...lines].flatMap((line) =>
    wrapText(line, width, { indent: "  " }).map((each) => paint.dim(each)),
  );
}
