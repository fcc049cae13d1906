import { user } from "../../protocol/ids.ts";
import type { Request } from "../../protocol/request.ts";
import type { PersonsAnswer } from "../../team/protocols/persons-answer.ts";
import { describeCall } from "../render/call.ts";
import type { Look } from "../render/item.ts";
import { renderMarkdown } from "../render/markdown.ts";
import { oneLine } from "../render/one-line.ts";
import { cutToWidth, wrapText } from "../render/wrap.ts";

/** Whoever is about to type when a question comes up does not mean it with the next key. */
const guardMs = 300;

/** What the person is asked, the longest waiting first. */
export class Questions {
  #open: readonly Request[] = [];
  readonly #answered = new Set<string>();
  readonly #known = new Set<string>();
  #upSinceMs = 0;

  /** Takes over what waits in the store, and gives back what is new. */
  update(open: readonly Request[], nowMs: number): Request[] {
    const before = this.first?.id;
    this.#open = open.filter(({ id, to }) => to === user && !this.#answered.has(id));
    if (this.first?.id !== before) this.#upSinceMs = nowMs;
    const fresh = this.#open.filter(({ id }) => !this.#known.has(id));
    for (const { id } of fresh) this.#known.add(id);
    return fresh;
  }

  /** The one that is up. */
  get first(): Request | undefined {
    return this.#open[0];
  }

  get count(): number {
    return this.#open.length;
  }

  /** The one that a key answers now. */
  answerable(nowMs: number): Request | undefined {
    return this.guardedMs(nowMs) > 0 ? undefined : this.first;
  }

  /** How long no key answers yet. */
  guardedMs(nowMs: number): number {
    return this.first ? Math.max(0, this.#upSinceMs + guardMs - nowMs) : 0;
  }

  /** The person has answered: the next one comes up before the store knows. */
  settle(id: string, nowMs: number): void {
    this.#answered.add(id);
    this.#open = this.#open.filter((request) => request.id !== id);
    this.#upSinceMs = nowMs;
  }
}

/** What one key means while a question is up. */
export const answerKeys: Readonly<Record<string, PersonsAnswer["decision"]>> = {
  y: "allow-once",
  a: "allow-always",
  n: "deny",
};

/** Exactly what is asked, whole, as lines that stay on the screen. */
export function renderQuestion({ from, type, subject }: Request, look: Look): string[] {
  const { paint } = look;
  const head = type === "plan" ? "hands in a plan" : "asks to run";
  const reason = type === "permission" ? oneLine(String(subject.reason ?? "")) : "";
  return [
    "",
    cutToWidth(`${paint.yellow("?")} ${paint.bold(from)} ${head}`, look.width),
    ...indented(subjectLines({ type, subject }, look)),
    ...(reason === "" ? [] : wrapText(paint.dim(reason), look.width, { indent: "  " })),
  ];
}

function subjectLines({ type, subject }: Pick<Request, "type" | "subject">, look: Look): string[] {
  const inner = { ...look, width: look.width - 2 };
  if (type === "plan") return renderMarkdown(String(subject.plan ?? ""), inner);
  return describeCall(String(subject.tool ?? ""), subject.input, inner);
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

export interface PanelOptions extends Look {
  count: number;
  /** The most lines it may take. */
  height: number;
  /** Whether keys go to the line, because something is typed in it. */
  isTyping: boolean;
  /** Whether a key answers already. */
  isAnswerable: boolean;
}

/** Whether a panel of this height cannot show all that is asked. */
export function isTooLong(request: Request, look: Look, height: number): boolean {
  return subjectLines(request, look).length > roomFor(height);
}

/** What is left beside who asks, and the keys. */
function roomFor(height: number): number {
  return Math.max(1, height - 2);
}

/** How tall a panel may be in a terminal. */
export function panelHeight(terminalHeight: number): number {
  return Math.max(5, Math.floor(terminalHeight / 2));
}

/** The question that is up, with what each key does. What is too long for it stands above it. */
export function renderPanel(request: Request, options: PanelOptions): string[] {
  const { paint, width, count, height } = options;
  const { from, type } = request;
  const lines = subjectLines(request, options);
  const room = roomFor(height);
  const isCut = lines.length > room;
  const shown = isCut ? lines.slice(0, Math.max(0, room - 1)) : lines;
  const more = isCut ? [paint.dim(`… ${lines.length - shown.length} more lines, above`)] : [];
  const many = count > 1 ? paint.dim(` (1 of ${count})`) : "";
  const what = type === "plan" ? "asks you to approve this plan" : "asks to run this";
  return [
    `${paint.yellow("▌")} ${paint.bold(from)} ${what}${many}`,
    ...[...shown, ...more].map((line) => `${paint.yellow("▌")} ${line}`),
    `${paint.yellow("▌")} ${hintFor(request, options)}`,
  ].map((line) => cutToWidth(line, width));
}

function hintFor(
  { type, subject }: Request,
  { paint, isTyping, isAnswerable }: PanelOptions,
): string {
  if (isTyping) return "Esc puts your line aside, to answer";
  if (!isAnswerable) return paint.dim("…");
  const rule = type === "permission" && typeof subject.rule === "string" ? subject.rule : undefined;
  return [
    `${paint.bold("y")} yes, once`,
    ...(rule === undefined ? [] : [`${paint.bold("a")} always ${paint.dim(oneLine(rule))}`]),
    `${paint.bold("n")} no`,
    `${paint.bold("r")} no, because …`,
  ].join("  ");
}
