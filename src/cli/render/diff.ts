import type { Paint } from "./paint.ts";
import { shown } from "./shown.ts";
import { wrapText } from "./wrap.ts";

export interface DiffOptions {
  /** Named above the diff; undefined for no such line. */
  path?: string;
  width: number;
  paint: Paint;
  /** How many unchanged lines are shown around a change. */
  context?: number;
}

/** What changes from one text to the other, whole, as styled lines with line numbers. */
export function renderDiff(before: string, after: string, options: DiffOptions): string[] {
  return [
    ...wrapText(shown(before), options.width, { indent: "- " }),
    ...wrapText(shown(after), options.width, { indent: "+ " }),
  ];
}
