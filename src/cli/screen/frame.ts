import { lastWritten } from "../../lib/output-text.ts";
import type { MemberName } from "../../protocol/ids.ts";
import { fittingEnd, fittingStart } from "../render/fitting.ts";
import { renderMarkdown } from "../render/markdown.ts";
import { oneLine } from "../render/one-line.ts";
import type { TextFormat } from "../render/paint.ts";
import { shown } from "../render/shown.ts";
import { widthOf } from "../render/styled-text.ts";
import { renderThought } from "../render/thought.ts";
import { cutToWidth } from "../render/wrap.ts";
import type { MemberGlance } from "../talk/member-overview.ts";
import type { ScreenFrame } from "./canvas.ts";
import type { Editor } from "./editor.ts";
import type { QuestionState } from "./question-focus.ts";
import { isInPanel, panelHeight, renderGone, renderPanel } from "./question-panel.ts";
import { backgroundText, contextOf, costOf, doing, markOf, present, renderStrip } from "./strip.ts";
import { renderWaiting, takeBackHint, type WaitingLine } from "./waiting-lines.ts";

/** Everything that a frame shows. */
export interface ScreenState extends QuestionState {
  members: readonly MemberGlance[];
  viewed: MemberName;
  /** The unfinished text of the viewed member. */
  unfinished: string;
  /** What the viewed member thinks at the moment. */
  thought: string;
  editor: Editor;
  /** What the line is for, if not for a message to the viewed member. */
  purpose: string | undefined;
  /** Completions of the word at the cursor. */
  candidates: readonly string[];
  /** What the person has sent, and its members have not seen yet. */
  waiting: readonly WaitingLine[];
  /** A notice in the place of the usual hints. */
  note: string | undefined;
  nowMs: number;
}

/**
 * Lays out the frame for a terminal of this size. The most important parts get their space first.
 */
export function renderFrame(
  scene: ScreenState,
  format: TextFormat & { height: number },
): ScreenFrame {
  const { width, height } = format;
  const input = renderInput(scene, format);
  const hasFooter = height >= 4;
  let room = height - input.lines.length - (hasFooter ? 1 : 0);
  const take = (lines: readonly string[], from: "top" | "bottom" = "bottom") => {
    const taken =
      from === "top" ? lines.slice(0, Math.max(0, room)) : room > 0 ? lines.slice(-room) : [];
    room -= taken.length;
    return taken;
  };
  const panel = take(
    renderQuestions(scene, { ...format, height: Math.min(room, panelHeight(height)) }),
  );
  const rule = take(height >= 8 ? [renderRule(scene, format)] : []);
  const waiting = take(renderWaiting(scene.waiting, format, takeBackHint));
  const strip = take(
    renderStrip(scene.members, {
      ...format,
      height: Math.min(room, Math.max(1, Math.floor(height / 4))),
      nowMs: scene.nowMs,
      viewed: scene.viewed,
    }),
    "top",
  );
  const activity = take(strip.length > 0 ? [] : renderActivity(scene, format));
  const output = take(room > 2 ? outputLines(scene, format) : []);
  const space = Math.min(room, Math.floor(height / 2));
  const text = take(room > 1 ? newest(["", ...unfinishedLines(scene, format)], space, format) : []);
  const above = [...output, ...text, ...activity, ...panel];
  const lines = [...above, ...strip, ...waiting, ...rule];
  const cursor =
    isInPanel(scene.stage) && panel.length > 0
      ? { row: above.length - 1, column: Math.min(width - 1, widthOf(panel.at(-1) ?? "") + 1) }
      : { row: lines.length + input.cursor.row, column: input.cursor.column };
  // Members that share lines have no room there for the size of their conversations.
  const hasOwnLines =
    strip.length > 0 && strip.length >= present(scene.members, scene.viewed).length;
  const footer = hasFooter ? [renderFooter(scene, { ...format, hasOwnLines })] : [];
  const whole = [...lines, ...input.lines, ...footer];
  return { lines: whole.map((line) => cutToWidth(line, width)), cursor };
}

/** The current question, and a notice if the one the person selected is no longer open. */
function renderQuestions(scene: ScreenState, format: TextFormat & { height: number }): string[] {
  const gone = scene.stage === "gone" ? renderGone(format) : [];
  if (!scene.question) return gone;
  const height = Math.max(1, format.height - gone.length);
  return [...renderPanel(scene.question, { ...format, ...scene, height }), ...gone];
}

function unfinishedLines({ unfinished, thought }: ScreenState, format: TextFormat): string[] {
  if (thought.trim() !== "") return renderThought(thought, format, false);
  return unfinished.trim() === "" ? [] : renderMarkdown(unfinished, format);
}

/** As many of the last lines as there is space for, below one that says how many are above. */
function newest(lines: readonly string[], space: number, { paint }: TextFormat): readonly string[] {
  const above = lines.length - space;
  if (above <= 0 || space < 2) return lines.slice(-space);
  // One of them is the blank line at the top, and one makes room for what is said.
  return [paint.dim(`  … ${above} lines above`), ...lines.slice(above + 1)];
}

/** How many lines of a call's output are shown while it runs. */
const outputShown = 4;

function outputLines({ members, viewed }: ScreenState, { width, paint }: TextFormat): string[] {
  const output = members.find(({ name }) => name === viewed)?.output ?? "";
  const lines = output
    .trimEnd()
    .split("\n")
    .slice(-outputShown)
    .map((line) => shown(lastWritten(line)));
  return output.trim() === ""
    ? []
    : lines.map((line) => paint.dim(cutToWidth(`    ${line}`, width)));
}

/** What a lead does that has no strip. Its question is shown in full below. */
function renderActivity({ members, viewed, nowMs }: ScreenState, { paint }: TextFormat): string[] {
  const member = members.find(({ name }) => name === viewed);
  if (member === undefined || member.asked !== undefined) return [];
  const isAtRest = member.status !== "working";
  const does = isAtRest ? backgroundText(member) : doing(member, nowMs);
  return does === "" ? [] : ["", `${markOf(member, { paint, nowMs })} ${paint.dim(oneLine(does))}`];
}

function renderRule({ viewed, members }: ScreenState, { width, paint }: TextFormat): string {
  const color = members.find(({ name }) => name === viewed)?.color;
  const label = ` ${paint.named(color, viewed)} `;
  return `${paint.dim("──")}${label}${paint.dim("─".repeat(Math.max(0, width - 2 - widthOf(label))))}`;
}

function renderInput(
  { editor, purpose, stage }: ScreenState,
  { width, height, paint }: TextFormat & { height: number },
) {
  const mark = purpose === undefined ? "› " : `${purpose} › `;
  const indent = widthOf(mark);
  const { lines, cursor } = editor.layout(
    Math.max(2, width - indent),
    Math.max(1, Math.floor(height / 3)),
  );
  // While keys go to a question, the line is dimmed.
  const isWaiting = isInPanel(stage);
  const first = isWaiting ? paint.dim(mark) : paint.green(mark);
  return {
    lines: lines.map((line, index) => {
      const text = isWaiting ? paint.dim(line) : line;
      return `${index === 0 ? first : " ".repeat(indent)}${text}`;
    }),
    cursor: { row: cursor.row, column: indent + cursor.column },
  };
}

/** Completions, a notice or the hints; and the model and the mode of the viewed member, if they fit. */
function renderFooter(
  scene: ScreenState,
  { width, paint, hasOwnLines }: TextFormat & { hasOwnLines: boolean },
): string {
  const { note, candidates, members, viewed } = scene;
  if (candidates.length > 0) return `  ${paint.cyan(oneLine(candidates.join("  ")))}`;
  const member = members.find(({ name }) => name === viewed);
  const isAtWork = member?.status === "working";
  const hints = [
    "/help",
    ...(isAtWork ? ["esc interrupt"] : []),
    ...(present(members, viewed).length > 1 ? ["tab next member"] : []),
    ...["shift-tab mode", "ctrl-d quit"],
  ];
  const usage = member && !hasOwnLines ? [costOf(member), contextOf(member)] : [];
  const told = note === undefined ? "  /help" : `  ${oneLine(note)}`;
  const place = [member?.model, member?.mode];
  // The key that interrupts is needed more than the usage, and less than the model.
  const beside = note === undefined && isAtWork ? `${told} · esc interrupt` : told;
  const least = fittingEnd(place, width - widthOf(told) - 1);
  const most = fittingEnd([...usage, ...place], width - widthOf(beside) - 1);
  const about = widthOf(most) > widthOf(least) ? most : least;
  const room = width - widthOf(about) - 1;
  const left =
    note === undefined ? paint.dim(`  ${fittingStart(hints, room - 2)}`) : paint.yellow(told);
  const gap = width - widthOf(left) - widthOf(about);
  return about === "" ? left : `${left}${" ".repeat(gap)}${paint.dim(about)}`;
}
