import type { EntryView } from "../../../../src/protocol/dashboard.ts";
import type { HeardText } from "../../state/page.ts";

/**
 * What the member is saying, until its transcript has it: the text that is growing, and before it
 * those that have ended and whose entries have not been fetched. So nothing is gone for a moment.
 */
export interface HeardTexts {
  texts: readonly (HeardText & { endedAt: number | null })[];
  /** The newest text that the transcript has: it is not shown again. */
  settledKey: number | null;
}

export const noLiveTexts: HeardTexts = { texts: [], settledKey: null };

/** After `live` was heard, the fetch with the number `fetches` being the last that was begun. */
export function heard(known: HeardTexts, live: HeardText, fetches: number): HeardTexts {
  if (live.key === known.settledKey) return known;
  const others = known.texts
    .filter(({ key, kind }) => key !== live.key || kind !== live.kind)
    .map((text) => (text.endedAt === null ? { ...text, endedAt: fetches } : text));
  const texts = live.text === "" ? others : [...others, { ...live, endedAt: null }];
  return { ...known, texts };
}

/** What the fetch of this number has brought. */
export interface Brought {
  fetch: number;
  entries: readonly EntryView[];
}

/** After a fetch has brought entries. */
export function settled(known: HeardTexts, { fetch, entries }: Brought): HeardTexts {
  if (known.texts.length === 0) return known;
  const isOver = entries.some(({ type }) => type === "run-end");
  const texts = known.texts.filter((text) => {
    const isFetched = text.endedAt !== null && text.endedAt < fetch;
    return !isOver && !isFetched && !entries.some((entry) => isSaidIn(entry, text));
  });
  const growing = known.texts.find(({ endedAt }) => endedAt === null);
  const isGrowingSettled = growing !== undefined && !texts.includes(growing);
  return { texts, settledKey: isGrowingSettled ? growing.key : known.settledKey };
}

function isSaidIn(entry: EntryView, { kind, text }: HeardText): boolean {
  switch (kind) {
    case "runs":
      return entry.type === "tool-result";
    case "writes":
    case "thinks": {
      const type = kind === "writes" ? "text" : "thinking";
      if (entry.type !== "reply") return false;
      return entry.blocks.some((block) => block.type === type && block.text.includes(text));
    }
  }
}
