import type { EntryView } from "../../../../src/protocol/dashboard.ts";
import type { WatchedText } from "../../state/page.ts";

/**
 * The member's live texts until its transcript has them: the growing text, and before it the ended
 * ones whose entries have not been fetched yet. So no text disappears for a moment.
 */
export interface LiveTexts {
  texts: readonly (WatchedText & { endedAt: number | null })[];
  /** The newest text that is in the transcript; it is not shown again. */
  settledKey: number | null;
}

export const noLiveTexts: LiveTexts = { texts: [], settledKey: null };

/**
 * The state after the live text `live` arrived. `fetches` is the number of the last fetch that was
 * started.
 */
export function heard(known: LiveTexts, live: WatchedText, fetches: number): LiveTexts {
  if (live.key === known.settledKey) return known;
  const others = known.texts
    .filter(({ key, kind }) => key !== live.key || kind !== live.kind)
    .map((text) => (text.endedAt === null ? { ...text, endedAt: fetches } : text));
  const texts = live.text === "" ? others : [...others, { ...live, endedAt: null }];
  return { ...known, texts };
}

/** The result of the fetch with this number. */
export interface FetchedTexts {
  fetch: number;
  entries: readonly EntryView[];
}

/** After a fetch has brought entries. */
export function settled(known: LiveTexts, { fetch, entries }: FetchedTexts): LiveTexts {
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

function isSaidIn(entry: EntryView, { kind, text }: WatchedText): boolean {
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
