import type { Paint } from "./paint.ts";
import { shown } from "./shown.ts";
import { wrapText } from "./wrap.ts";

/**
 * Markdown as styled lines no wider than `width`. Never fails, whatever the text is; everything in
 * it is shown, and nothing of it is obeyed by the terminal.
 */
export function renderMarkdown(source: string, options: { width: number; paint: Paint }): string[] {
  return wrapText(shown(source), options.width);
}
