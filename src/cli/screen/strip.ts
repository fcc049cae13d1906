import { shortCount } from "../../protocol/amounts.ts";
import { oneLine } from "../render/one-line.ts";
import type { Paint } from "../render/paint.ts";
import { widthOf } from "../render/styled-text.ts";
import { cutToWidth } from "../render/wrap.ts";
import type { MemberGlance } from "../talk/member-overview.ts";

export interface StripOptions {
  width: number;
  /** The maximum number of lines. */
  height: number;
  paint: Paint;
  nowMs: number;
  /** The member whose view is open. */
  viewed: string;
}

/**
 * The members at a glance: one line each, or several per line if there is no room, those that need
 * attention first.
 */
export function renderStrip(all: readonly MemberGlance[], options: StripOptions): string[] {
  const { height, width } = options;
  const members = present(all, options.viewed);
  if (height <= 0 || members.length <= 1) return [];
  if (members.length <= height) {
    const nameWidth = Math.max(...members.map(({ name }) => name.length));
    return members.map((member) => memberLine(member, { ...options, nameWidth }));
  }
  const columns = Math.ceil(members.length / height);
  const columnWidth = Math.floor((width + columnGap) / columns) - columnGap;
  if (columnWidth >= narrowestColumn) return inColumns(members, { ...options, columnWidth });
  const cells = inOrderOfNeed(members).map((member) => memberCell(member, options));
  const lines: string[] = [];
  let used = 0;
  for (const cell of cells) {
    const last = lines.at(-1);
    const joined = last === undefined ? undefined : `${last}  ${cell}`;
    if (joined !== undefined && widthOf(joined) <= width) lines[lines.length - 1] = joined;
    else if (lines.length < height) lines.push(cutToWidth(cell, width));
    else break;
    used++;
  }
  const more = cells.length - used;
  if (more === 0) return lines;
  const note = options.paint.dim(` +${more} more`);
  return [...lines.slice(0, -1), `${cutToWidth(lines.at(-1) ?? "", width - widthOf(note))}${note}`];
}

/** How a member ended is printed above, and /team lists all. */
export function present(members: readonly MemberGlance[], viewed: string): MemberGlance[] {
  return members.filter(({ name, status }) => status !== "shutdown" || name === viewed);
}

const columnGap = 2;
/** A narrower column has no room for what a member does. */
const narrowestColumn = 24;
/** In a narrower column what a member does needs the room of its cost. */
const leastForCost = 36;

/** Several members per line, each with what it does, read from left to right. */
function inColumns(
  members: readonly MemberGlance[],
  options: StripOptions & { columnWidth: number },
): string[] {
  const { columnWidth, height, paint, nowMs } = options;
  const perLine = Math.ceil(members.length / height);
  const cells = inOrderOfNeed(members).map((member) => {
    const activity = paint.dim(oneLine(doing(member, nowMs)));
    const cost = columnWidth < leastForCost ? "" : costOf(member);
    const room = cost === "" ? columnWidth : columnWidth - widthOf(cost) - 1;
    const cell = cutToWidth(`${memberCell(member, options)} ${activity}`, room);
    const gap = " ".repeat(columnWidth - widthOf(cell) - widthOf(cost));
    return `${cell}${gap}${paint.dim(cost)}${" ".repeat(columnGap)}`;
  });
  const lineCount = Math.ceil(cells.length / perLine);
  return Array.from({ length: lineCount }, (_, line) =>
    cells
      .slice(line * perLine, (line + 1) * perLine)
      .join("")
      .trimEnd(),
  );
}

/** A narrower terminal has no room for the size of each conversation. */
const leastForContext = 70;

function memberLine(member: MemberGlance, options: StripOptions & { nameWidth: number }): string {
  const { paint, width, nameWidth } = options;
  const gap = " ".repeat(nameWidth - member.name.length);
  const context = width < leastForContext ? "" : contextOf(member);
  const cost = [costOf(member), context].filter((part) => part !== "").join(" ");
  const room = width - widthOf(cost) - 1;
  const text = `${memberCell(member, options)}${gap}  ${paint.dim(oneLine(doing(member, options.nowMs)))}`;
  const cut = cutToWidth(text, room);
  return `${cut}${" ".repeat(Math.max(1, width - widthOf(cut) - widthOf(cost)))}${paint.dim(cost)}`;
}

function memberCell(member: MemberGlance, { paint, viewed, nowMs }: StripOptions): string {
  const { name, color } = member;
  const label = paint.named(color, name);
  const shown = name === viewed ? paint.underline(label) : label;
  return `${markOf(member, { paint, nowMs })} ${shown}`;
}

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const spinnerMs = 120;

/** One character for the status of a member; it moves while the member works. */
export function markOf(
  { asked, status }: Pick<MemberGlance, "asked" | "status">,
  { paint, nowMs }: { paint: Paint; nowMs: number },
): string {
  if (asked !== undefined) return paint.yellow("?");
  switch (status) {
    case "working":
      return paint.green(spinner[Math.floor(nowMs / spinnerMs) % spinner.length] ?? "");
    case "idle":
      return paint.dim("○");
    case "failed":
      return paint.red("✗");
    case "shutdown":
      return paint.dim("–");
  }
}

/** What a member does, and for how long. */
export function doing(member: MemberGlance, nowMs: number): string {
  const { status, activity, sinceMs, asksAgainMs, asked, role, name } = member;
  if (asked !== undefined) return `asks you: ${asked}`;
  const behind = backgroundText(member);
  if (status !== "working") {
    const aside = activity === "" && role !== name ? role : activity;
    return [status, aside, behind].filter((part) => part !== "").join(" · ");
  }
  const seconds = Math.floor((nowMs - sinceMs) / 1000);
  const leftSeconds = Math.ceil(((asksAgainMs ?? 0) - nowMs) / 1000);
  const isWaiting = leftSeconds > 0;
  // In front: the reason behind it may be long.
  const does = isWaiting ? activity.replace("waits", `waits ${duration(leftSeconds)}`) : activity;
  const time = seconds >= 2 && !isWaiting ? duration(seconds) : "";
  return [does || "working", time, behind].filter((part) => part !== "").join(" · ");
}

/** The newest of the commands that a member has running in the background, and how many more there are. */
export function backgroundText({ background }: Pick<MemberGlance, "background">): string {
  const newest = background.at(-1);
  if (newest === undefined) return "";
  const more = background.length > 1 ? ` (+${background.length - 1} more)` : "";
  return `in the background${more}: ${newest}`;
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** The tokens and the cost of a member so far. */
export function costOf({ tokens, costUsd, unpricedCalls }: MemberGlance): string {
  const parts = [
    ...(tokens > 0 ? [shortCount(tokens)] : []),
    ...(costUsd
      ? [`${unpricedCalls > 0 ? "≥ " : ""}$${costUsd.toFixed(costUsd < 1 ? 3 : 2)}`]
      : []),
  ];
  return parts.join(" ");
}

/** How much of what its model takes in the conversation of a member has filled. */
export function contextOf({ contextTokens, contextWindow }: MemberGlance): string {
  if (contextTokens === undefined) return "";
  const share = contextWindow && Math.ceil((100 * contextTokens) / contextWindow);
  return `context ${share === undefined ? shortCount(contextTokens) : `${share}%`}`;
}

/** Asking, failed, working, idle, ended. */
function inOrderOfNeed(members: readonly MemberGlance[]): MemberGlance[] {
  const need = ({ asked, status }: MemberGlance) =>
    asked !== undefined ? 0 : ["failed", "working", "idle", "shutdown"].indexOf(status) + 1;
  return members.toSorted((a, b) => need(a) - need(b));
}
