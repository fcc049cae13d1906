import { ruleOf } from "../../permissions/persons-question.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import { describeCall } from "../render/call.ts";
import { renderMarkdown } from "../render/markdown.ts";
import { oneLine } from "../render/one-line.ts";
import type { TextFormat } from "../render/paint.ts";
import { widthOf } from "../render/styled-text.ts";
import { cutToWidth, wrapText } from "../render/wrap.ts";
import type { QuestionStage, QuestionState } from "./question-focus.ts";

/** The complete question, as printed lines. */
export function renderQuestion(request: TeamRequest, format: TextFormat): string[] {
  const { paint } = format;
  const { from, type } = request;
  const head =
    type === "plan" ? "submits a plan" : isAboutHost(request) ? "asks for a host" : "asks to run";
  return [
    "",
    cutToWidth(`${paint.yellow("?")} ${paint.bold(from)} ${head}`, format.width),
    ...[...subjectLines(request, format), ...reasonLines(request, format)].map(
      (line) => `  ${line}`,
    ),
  ];
}

function isAboutHost({ type, subject }: TeamRequest): boolean {
  return type === "permission" && subject.host !== undefined;
}

/** Why a call is not allowed without asking. */
function reasonLines({ type, subject }: TeamRequest, { paint, width }: TextFormat): string[] {
  const reason = type === "permission" ? oneLine(subject.reason ?? "") : "";
  return reason === "" ? [] : wrapText(paint.dim(reason), width - 2);
}

function subjectLines({ type, subject }: TeamRequest, format: TextFormat): string[] {
  const inner = { ...format, width: format.width - 2 };
  if (type === "plan") return renderMarkdown(subject.plan, inner);
  return type === "permission" ? describeCall(subject, inner) : [];
}

export interface PanelOptions extends TextFormat, Omit<QuestionState, "question"> {
  /** The maximum number of lines. */
  height: number;
}

/** Whether the question does not fit a panel of this height, at any stage. */
export function isTooLong(request: TeamRequest, format: TextFormat, height: number): boolean {
  const { length } = subjectLines(request, format);
  return stages.some((stage) => {
    const options = { ...format, number: 1, count: 2, stage, isArmed: true, height };
    return length > roomAbove(lowerLines(request, options), height);
  });
}

/** The lines left between the heading and what is below. */
function roomAbove(lower: readonly string[], height: number): number {
  return Math.max(0, height - 1 - lower.length);
}

/** How tall a panel may be in a terminal: there is always room for the line and the footer. */
export function panelHeight(terminalHeight: number): number {
  const inputLines = Math.max(1, Math.floor(terminalHeight / 3));
  const most = Math.max(2, terminalHeight - inputLines - 1);
  return Math.min(most, Math.max(5, Math.floor(terminalHeight / 2)));
}

/**
 * The current question, with the effect of each key. A question that is too long is printed above.
 */
export function renderPanel(request: TeamRequest, options: PanelOptions): string[] {
  const { paint, width, stage, number, count, height } = options;
  const { from, type } = request;
  const lower = lowerLines(request, options);
  const lines = subjectLines(request, options);
  const room = roomAbove(lower, height);
  const isCut = lines.length > room;
  const shown = isCut ? lines.slice(0, Math.max(0, room - 1)) : lines;
  const rest = lines.length - shown.length;
  const more = isCut && room > 0 ? [paint.dim(`… ${rest} more lines, above`)] : [];
  const many = count > 1 ? ` (${number} of ${count})` : "";
  const call = isAboutHost(request) ? "asks to reach a host" : "asks to run this";
  const what = type === "plan" ? "asks you to approve this plan" : call;
  const hasKeys = isInPanel(stage);
  const head = hasKeys
    ? paint.inverse(paint.bold(` ${from} ${what}${many} `))
    : `${paint.bold(from)} ${what}${paint.dim(many)}`;
  const mark = paint.yellow(hasKeys || stage === "reason" ? "█" : "▌");
  return [head, ...shown, ...more, ...lower]
    .map((line) => `${mark} ${line}`)
    .map((line) => cutToWidth(line, width));
}

/** The notice that the selected question is no longer open. */
export function renderGone({ paint, width }: TextFormat): string[] {
  const text = `${paint.yellow("█")} This question is no longer open: it was answered elsewhere, or withdrawn.  ${keyed("esc", "back to your line", paint.bold)}`;
  return wrapText(text, width);
}

/** Whether keys go to the panel, and not to the line. */
export function isInPanel(stage: QuestionStage): boolean {
  return stage === "choose" || stage === "confirm" || stage === "gone";
}

type KeyOptions = Omit<PanelOptions, "height">;

const stages: readonly QuestionStage[] = ["none", "choose", "confirm", "reason"];

/**
 * What stays in sight below the subject, however long that is: why it is asked, and the effects of the keys, with the same number of
 * lines at every stage, so that nothing moves. In a tiny terminal, who asks and for what is needed more than reason and space.
 */
function lowerLines(request: TeamRequest, options: PanelOptions): string[] {
  const { stage, width, height } = options;
  const linesAt = (each: QuestionStage) => flow(keysAt(each, request, options), width - 2);
  const most = Math.max(...stages.map((each) => linesAt(each).length));
  const keys = linesAt(stages.includes(stage) ? stage : "none");
  const space = Array.from({ length: most - keys.length }, () => "");
  const all = [...reasonLines(request, options), ...space, ...keys];
  if (all.length <= height - 3) return all;
  // A rule is never cut: without room for it, its end and the keys are seen.
  return keys.length <= height - 2 || stage === "confirm" ? keys : [briefKeys(request, options)];
}

/** The keys without their effects. */
function briefKeys(request: TeamRequest, options: KeyOptions): string {
  const bold = options.isArmed ? options.paint.bold : options.paint.dim;
  if (options.stage !== "choose") return keysAt(options.stage, request, options).at(-1) ?? "";
  const letters = ["y", "n", "r", ...(ruleOf(request) === undefined ? [] : ["a"])];
  return [...letters.map(bold), options.paint.bold("esc")].join(" ");
}

function keysAt(stage: QuestionStage, request: TeamRequest, options: KeyOptions): string[] {
  const { paint, count, isArmed } = options;
  const rule = ruleOf(request);
  const isPlan = request.type === "plan";
  const bold = isArmed ? paint.bold : paint.dim;
  switch (stage) {
    case "none":
    case "gone":
    case "done":
      return [keyed("ctrl-x", "to answer", paint.bold)];
    case "choose":
      return [
        keyed("y", isPlan ? "approve" : "yes, once", bold),
        keyed("n", isPlan ? "reject" : "no", bold),
        keyed("r", isPlan ? "reject, because …" : "no, because …", bold),
        ...(rule === undefined ? [] : [keyed("a", `always ${paint.dim(whole(rule))} …`, bold)]),
        ...(count > 1 ? [keyed("ctrl-x", "next question", paint.bold)] : []),
        keyed("esc", "back to your line", paint.bold),
      ];
    case "confirm":
      return [
        `Always allow ${paint.bold(whole(rule ?? ""))} for the whole team, also after a restart?`,
        keyed("enter", "yes, add this rule", bold),
        keyed("esc", "back", paint.bold),
      ];
    case "reason":
      return [
        `${isPlan ? "Reject" : "No"}, because (type the reason below):`,
        keyed("enter", "send", paint.bold),
        keyed("esc", "back", paint.bold),
      ];
  }
}

/** Never cut: the person must see all of the rule. */
function whole(rule: string): string {
  return oneLine(rule, Number.POSITIVE_INFINITY);
}

function keyed(key: string, does: string, bold: (text: string) => string): string {
  return `${bold(key)} ${does}`;
}

/** Parts side by side, continued on the next line if they do not fit. */
function flow(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const joined = last === undefined ? undefined : `${last}   ${part}`;
    if (joined !== undefined && widthOf(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(...wrapText(part, width));
  }
  return lines;
}
