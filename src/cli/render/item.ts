import { summarizeCall } from "../../lib/summarize-call.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { Item } from "../talk/chronicle.ts";
import { renderMarkdown } from "./markdown.ts";
import { oneLine } from "./one-line.ts";
import type { Paint } from "./paint.ts";
import { shown } from "./shown.ts";
import { cutToWidth, wrapText } from "./wrap.ts";

export interface Look {
  width: number;
  paint: Paint;
  /** The colour that a member has everywhere. */
  colorOf?(name: MemberName): string | undefined;
}

/** How many lines of what a call gave are shown. The whole is in the member's log. */
const resultLines = 4;

/** How many lines of what the person has typed or pasted are shown again. */
const typedLines = 12;

/** An item as lines that stay on the screen; `teller` is whose it is, where its view is not open. */
export function renderItem(item: Item, look: Look, teller?: MemberName): string[] {
  const { paint } = look;
  const name = teller ? `${paint.named(look.colorOf?.(teller), teller)} ` : "";
  switch (item.type) {
    case "typed":
      return renderTyped(item, look);
    case "text":
      return ["", ...renderMarkdown(item.source, look)];
    case "call":
      return [
        cutToWidth(
          `${name}${paint.cyan("●")} ${paint.bold(oneLine(item.name))} ${oneLine(summarizeCall(item.name, item.input))}`,
          look.width,
        ),
      ];
    case "result":
      return renderResult(item, look);
    case "mail":
      return renderMail(item, look);
    case "ended":
      return renderNotice(name + paint.dim(oneLine(endText(item))), look);
    case "notice":
      return renderNotice(name + inTone(item, paint), look);
  }
}

function renderTyped({ text, to }: Extract<Item, { type: "typed" }>, { width, paint }: Look) {
  const address = to === "lead" ? "" : `@${oneLine(to)} `;
  const all = shown(address + text).split("\n");
  const first = all.slice(0, typedLines).map((line) => paint.bold(line));
  const rest = all.length - first.length;
  const lines = rest > 0 ? [...first, paint.dim(`… ${rest} more lines`)] : first;
  return [
    "",
    ...lines.flatMap((line, index) =>
      wrapText(line, width, { indent: index === 0 ? paint.green("› ") : "  ", hanging: "  " }),
    ),
  ];
}

function renderResult(item: Extract<Item, { type: "result" }>, { width, paint }: Look): string[] {
  const { output, isError } = item;
  const lines = shown(output.trimEnd())
    .split("\n")
    .filter((line) => line.trim() !== "");
  const first = lines.slice(0, resultLines);
  const rest = lines.length - first.length;
  const style = isError ? paint.red : paint.dim;
  const mark = isError ? "✗" : "└";
  const beginning = first.map((line, index) => `  ${index === 0 ? mark : " "} ${line}`);
  const more = rest > 0 ? [`    … ${rest} more ${rest === 1 ? "line" : "lines"}`] : [];
  return [...beginning, ...more].map((line) => style(cutToWidth(line, width)));
}

function renderMail(item: Extract<Item, { type: "mail" }>, look: Look): string[] {
  const { width, paint, colorOf } = look;
  const { kind, preview } = item;
  const [from, to] = [item.from, item.to].map((name) => paint.named(colorOf?.(name), name));
  const label = kind === "message" ? "" : ` (${oneLine(kind.replaceAll("_", " "))})`;
  const head = `${paint.blue("✉")} ${from} → ${to}${label}`;
  return [cutToWidth(`${head}: ${oneLine(preview, width)}`, width)];
}

function renderNotice(text: string, { width }: Look): string[] {
  return wrapText(text, width, { indent: "  " });
}

function endText({ reason }: Extract<Item, { type: "ended" }>): string {
  return reason ? `is shut down: ${reason}` : "is shut down";
}

function inTone({ text, tone }: Extract<Item, { type: "notice" }>, paint: Paint): string {
  const line = oneLine(text);
  if (tone === "bad") return paint.red(line);
  return tone === "good" ? paint.green(line) : paint.dim(line);
}
