import { callParts } from "../../lib/call-parts.ts";
import { summarizeCall } from "../../lib/summarize-call.ts";
import { lead, type MemberName } from "../../protocol/ids.ts";
import type { TalkItem } from "../talk/event-items.ts";
import { type Brief, firstLines } from "./brief.ts";
import { describeInput } from "./call.ts";
import { indented } from "./lines.ts";
import { renderMarkdown } from "./markdown.ts";
import { oneLine } from "./one-line.ts";
import type { Paint, TextFormat } from "./paint.ts";
import { renderResult } from "./result.ts";
import { shown } from "./shown.ts";
import { widthOf } from "./styled-text.ts";
import { renderThought } from "./thought.ts";
import { cutToWidth, wrapExactly, wrapText } from "./wrap.ts";

/** How many lines of the person's message are shown. */
const typedLines = 12;
/** How many rows of a command and of a message are shown. */
const commandRows = 4;
const mailRows = 5;

export interface ItemOptions {
  /** The item's member, if another member's view is open. */
  teller?: MemberName | undefined;
  /** The member whose view is open (default: the lead). */
  viewed?: MemberName | undefined;
  /** False if the person has already seen the change that a call made. */
  showsChange?: boolean;
}

/** An item as printed lines, and whether something of it is left out. */
export function renderItem(
  item: TalkItem,
  format: TextFormat,
  { teller, viewed, showsChange = true }: ItemOptions = {},
): Brief {
  const { paint } = format;
  const name = teller ? `${paint.named(format.colorOf?.(teller), teller)} ` : "";
  switch (item.type) {
    case "typed":
      return renderTyped(item, format, viewed);
    case "text":
      return whole(["", ...renderMarkdown(item.source, format)]);
    case "thought":
      return whole(renderThought(item.text, format, true));
    case "call":
      return renderCall(item, format, name);
    case "result":
      return renderResult(item, format, showsChange);
    case "mail":
      return renderMail(item, format);
    case "ended":
      return whole(renderNotice(name + paint.dim(oneLine(endText(item))), format));
    case "notice":
      return whole(renderNotice(name + inTone(item, paint), format));
  }
}

function whole(lines: string[]): Brief {
  return { lines, isCut: false };
}

function renderTyped(
  { text, to }: Extract<TalkItem, { type: "typed" }>,
  format: TextFormat,
  viewed: MemberName = lead,
): Brief {
  const { width, paint } = format;
  // Without a name, the member of the view has been told.
  const address = to === viewed ? "" : `@${oneLine(to)} `;
  const { lines, isCut } = firstLines(shown(address + text).split("\n"), {
    most: typedLines,
    render: (line, index) =>
      wrapText(paint.bold(line), width, {
        indent: index === 0 ? paint.green("› ") : "  ",
        hanging: "  ",
      }),
    format,
  });
  return { lines: ["", ...lines], isCut };
}

/** A command is shown as it is written, anything else by its main argument. */
function renderCall(
  { name, input }: Extract<TalkItem, { type: "call" }>,
  format: TextFormat,
  teller: string,
): Brief {
  const { paint, width } = format;
  const head = `${teller}${paint.cyan("●")} ${paint.bold(oneLine(name))} `;
  const call = callParts(name, input);
  if (call.type === "other" && format.isWhole) {
    const inner = { ...format, width: width - 4 };
    return whole([...wrapText(head, width), ...indented(describeInput(name, input, inner), 4)]);
  }
  if (call.type !== "command") {
    const line = `${head}${oneLine(summarizeCall(name, input))}`;
    return { lines: [cutToWidth(line, width)], isCut: widthOf(line) > width };
  }
  return firstLines(shown(call.command.trim()).split("\n"), {
    most: commandRows,
    render: (line, index) =>
      wrapExactly(line, width, { indent: index === 0 ? head : "    ", hanging: "    " }),
    format,
  });
}

function renderMail(item: Extract<TalkItem, { type: "mail" }>, format: TextFormat): Brief {
  const { width, paint, colorOf } = format;
  const { kind, preview, isWhole } = item;
  const [from, to] = [item.from, item.to].map((name) => paint.named(colorOf?.(name), name));
  const label = kind === "message" ? "" : ` (${oneLine(kind.replaceAll("_", " "))})`;
  const head = `${paint.blue("✉")} ${from} → ${to}${label}: `;
  const text = isWhole ? preview.trim() : `${preview.trim()}…`;
  const brief = firstLines(shown(text).split("\n"), {
    most: mailRows,
    render: (line, index) =>
      wrapText(`${index === 0 ? head : ""}${line}`, width, {
        indent: index === 0 ? "" : "  ",
        hanging: "  ",
      }),
    format,
  });
  return { ...brief, isCut: brief.isCut || !isWhole };
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
