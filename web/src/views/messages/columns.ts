import type { MessageView } from "../../../../src/protocol/dashboard.ts";

/** The positions in the diagram, in pixels. */
export interface Columns {
  /** From left to right. */
  names: readonly string[];
  /** The place of each name's lifeline. */
  centre: ReadonlyMap<string, number>;
  columnWidth: number;
  /** The sticky column of times. */
  timeWidth: number;
  /** Of everything, times included. */
  width: number;
  /** True when it is wider than what can be seen. */
  isWide: boolean;
  /** The width in which a text is shown whole. */
  wordsWidth: number;
}

/** Where everybody can be seen at once, and where the diagram is scrolled anyway. */
const leastColumn = { whole: 92, scrolled: 116 };
const mostColumn = 260;
const narrowTime = 84;
/** With room for who to whom, which may be out of sight, where the screen is large or small. */
const wideTime = { large: 200, small: 112 };
const largeScreen = 700;
/** The space at the right for the texts behind the last lifeline's heads. */
const margin = 40;

/**
 * The columns from left to right: the person, the members in their order, anybody else who is
 * named, and last the runtime and the outside.
 */
export function participantsOf(
  messages: readonly MessageView[],
  members: readonly string[],
): string[] {
  const present = new Set<string>();
  for (const { from, to } of messages) present.add(from).add(to);
  const usual = ["user", ...members, "system", "outside"];
  const others = [...present].filter((name) => !usual.includes(name)).sort();
  return ["user", ...members, ...others, "system", "outside"].filter((name) => present.has(name));
}

/** Columns that share `available` pixels, as long as each has enough to be read. */
export function columnsOf(names: readonly string[], available: number): Columns {
  const isWide = narrowTime + names.length * leastColumn.whole + margin > available;
  const besideWide = available < largeScreen ? wideTime.small : wideTime.large;
  const timeWidth = isWide ? besideWide : narrowTime;
  const share = Math.floor((available - timeWidth - margin) / Math.max(1, names.length));
  const least = isWide ? leastColumn.scrolled : leastColumn.whole;
  const columnWidth = Math.min(mostColumn, Math.max(least, share));
  const centre = new Map(
    names.map((name, index) => [name, timeWidth + Math.round((index + 0.5) * columnWidth)]),
  );
  const width = Math.max(available, timeWidth + names.length * columnWidth + margin);
  const wordsWidth = Math.max(120, Math.min(720, available - timeWidth));
  return { names, centre, columnWidth, timeWidth, width, isWide, wordsWidth };
}

/** How one row's arrow is drawn. */
export interface Arrow {
  from: number;
  /** Its ends, the left one first. They are the same for mail to oneself. */
  left: number;
  right: number;
  /** Where the words are: from the left end on, or up to the right one where there is more room. */
  anchor: "left" | "right";
}

/** The width that the text should have. */
const enoughWidth = 320;

export function arrowOf(
  columns: Columns,
  { from, to }: { from: string; to: readonly string[] },
): Arrow {
  const start = columns.centre.get(from) ?? columns.timeWidth;
  const ends = to.map((name) => columns.centre.get(name) ?? start);
  const left = Math.min(start, ...ends);
  const right = Math.max(start, ...ends);
  const roomAfter = columns.width - left;
  const roomBefore = right - columns.timeWidth;
  const anchor = roomAfter < enoughWidth && roomBefore > roomAfter ? "right" : "left";
  return { from: start, left, right, anchor };
}
