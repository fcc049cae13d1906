import type { MessageView } from "../../../../src/protocol/dashboard.ts";

/** The positions in the diagram, in pixels. */
export interface Columns {
  /** From left to right. */
  names: readonly string[];
  /** The x position of each name's lifeline. */
  centre: ReadonlyMap<string, number>;
  columnWidth: number;
  /** The sticky column of times. */
  timeWidth: number;
  /** The total width, including the times. */
  width: number;
  /** True if the diagram is wider than the view. */
  isWide: boolean;
  /** The width available for texts. */
  wordsWidth: number;
}

/** The minimum width if all columns fit, and if the diagram must be scrolled. */
const leastColumn = { whole: 92, scrolled: 116 };
const mostColumn = 260;
const narrowTime = 84;
/**
 * Wide enough for sender and recipient, whose columns may be scrolled out of view, on a large and a
 * small screen.
 */
const wideTime = { large: 200, small: 112 };
const largeScreen = 700;
/** The space on the right for the texts after the last lifeline. */
const margin = 40;

/**
 * The columns from left to right: the person, the members in order, other names, and last the
 * runtime and the outside.
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

/** Columns that share `available` pixels, each with a minimum width. */
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
  /** Its ends, the left one first. They are equal for mail to oneself. */
  left: number;
  right: number;
  /** The position of the text: from the left end, or up to the right end if there is more space. */
  anchor: "left" | "right";
}

/** The preferred width of the text. */
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
