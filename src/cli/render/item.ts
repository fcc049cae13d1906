import { summarizeCall } from "../../lib/summarize-call.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { TalkItem } from "../talk/event-items.ts";
import { renderMarkdown } from "./markdown.ts";
import { oneLine } from "./one-line.ts";
import type { Paint, TextFormat } from "./paint.ts";
import { shown } from "./shown.ts";
import { renderThought } from "./thought.ts";
import { cutToWidth, wrapText } from "./wrap.ts";

/** How many lines of a result are shown. All of it is in the member's log. */
const resultLines = 4;

/** How many lines of the person's message are shown. */
const typedLines = 12;

/** An item as printed lines. `teller` is its member, if another member's view is open. */
export function renderItem(item: TalkItem, format: TextFormat, teller?: MemberName): string[] {
  const { paint } = format;
  const name = teller ? `${paint.named(format.colorOf?.(teller), teller)} ` : "";
  switch (item.type) {
    case "typed":
      return renderTyped(item, format);
    case "text":
      return ["", ...renderMarkdown(item.source, format)];
    case "thought":
      return renderThought(item.text, format, true);
    case "call":
      return [
        cutToWidth(
          `${name}${paint.cyan("●")} ${paint.bold(oneLine(item.name))} ${oneLine(summarizeCall(item.name, item.input))}`,
          format.width,
        ),
      ];
    case "result":
      return renderResult(item, format);
    case "mail":
      return renderMail(item, format);
    case "ended":
      return renderNotice(name + paint.dim(oneLine(endText(item))), format);
    case "notice":
      return renderNotice(name + inTone(item, paint), format);
  }
}

function renderTyped(
  { text, to }: Extract<TalkItem, { type: "typed" }>,
  { width, paint }: TextFormat,
) {
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

function renderResult(
  item: Extract<TalkItem, { type: "result" }>,
  { width, paint }: TextFormat,
): string[] {
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

function renderMail(item: Extract<TalkItem, { type: "mail" }>, format: TextFormat): string[] {
  const { width, paint, colorOf } = format;
  const { kind, preview } = item;
  const [from, to] = [item.from, item.to].map((name) => paint.named(colorOf?.(name), name));
  const label = kind === "message" ? "" : ` (${oneLine(kind.replaceAll("_", " "))})`;
  const head = `${paint.blue("✉")} ${from} → ${to}${label}`;
  return [cutToWidth(`${head}: ${oneLine(preview, width)}`, width)];
}

function renderNotice(text: string, { width }: TextFormat): string[] {
  return wrapText(text, width, { indent: "  " });
}

function endText({ reason }: Extract<TalkItem, { type: "ended" }>): string {
  return reason ? `is shut down: ${reason}` : "is shut down";
}

function inTone({ text, tone }: Extract<TalkItem, { type: "notice" }>, paint: Paint): string {
  const line = oneLine(text);
  if (tone === "bad") return paint.red(line);
  return tone === "good" ? paint.green(line) : paint.dim(line);
}
