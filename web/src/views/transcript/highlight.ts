import type { EntryView, ReplyBlockView } from "../../../../src/protocol/dashboard.ts";

/** A part of a text, highlighted or not. */
export interface HighlightedText {
  text: string;
  isMatch: boolean;
}

/** The limit of highlighted matches, for speed. */
const mostMatches = 500;

/** Splits `text` at the matches of `search`, ignoring case. */
export function highlighted(text: string, search: string): HighlightedText[] {
  if (search === "") return [{ text, isMatch: false }];
  const pieces: HighlightedText[] = [];
  let from = 0;
  for (const match of text.matchAll(patternOf(search))) {
    if (pieces.length >= 2 * mostMatches) break;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), isMatch: false });
    pieces.push({ text: match[0], isMatch: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isMatch: false });
  return pieces;
}

/** How much text is shown on each side of the first match. */
const contextBefore = 60;
const contextAfter = 160;

/** The first match in an entry with the surrounding text, on one line. */
export function excerptOf(entry: EntryView, search: string): string {
  const texts = textsOf(entry);
  const found = texts
    .map((text) => ({ text, at: text.search(patternOf(search)) }))
    .find(({ at }) => at >= 0);
  const { text, at } = found ?? { text: texts.find((it) => it.trim() !== "") ?? "", at: 0 };
  const from = Math.max(0, at - contextBefore);
  const to = Math.min(text.length, at + search.length + contextAfter);
  const line = text.slice(from, to).replace(/\s+/g, " ").trim();
  return `${from > 0 ? "… " : ""}${line}${to < text.length ? " …" : ""}`;
}

/** All searchable texts of an entry. */
export function textsOf(entry: EntryView): readonly string[] {
  switch (entry.type) {
    case "profile":
      return [entry.system, entry.model];
    case "mail":
      return [entry.message.text, entry.message.from, entry.message.type];
    case "note":
      return [entry.text];
    case "run-start":
      return [];
    case "run-end":
      return [entry.reason ?? "", entry.outcome];
    case "reply":
      return entry.blocks.flatMap(blockTexts);
    case "tool-result":
      return [entry.output];
    case "compaction":
      return [entry.summary];
    case "damaged":
      return [entry.reason];
  }
}

/** Whether one of `texts` contains `search`, ignoring case. */
export function isIn(texts: readonly string[], search: string): boolean {
  return texts.some((text) => text.search(patternOf(search)) >= 0);
}

export function blockTexts(block: ReplyBlockView): string[] {
  if (block.type !== "tool-call") return [block.text];
  return [block.summary, block.input, ...(block.diff ?? []).map(({ text }) => text), block.name];
}

function patternOf(search: string): RegExp {
  return new RegExp(search.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "giu");
}
