import { type Block, type ListItem, readMarkdown } from "../../lib/markdown.ts";
import { renderInline } from "./markdown-inline.ts";
import { renderTable } from "./markdown-table.ts";
import type { Paint } from "./paint.ts";
import { shown } from "./shown.ts";
import { widthOf } from "./styled-text.ts";
import { wrapExactly, wrapText } from "./wrap.ts";

interface MarkdownContext {
  width: number;
  paint: Paint;
  /** How many lists it is inside of. */
  listDepth: number;
}

const leastRoom = 8;
const ruleWidth = 60;
const bullets = ["•", "◦", "-"];

/**
 * Markdown as styled lines no wider than `width` (or 2). Never fails; shows all of the text, with
 * control characters made visible.
 */
export function renderMarkdown(source: string, options: { width: number; paint: Paint }): string[] {
  const context = { paint: options.paint, width: Math.max(2, options.width), listDepth: 0 };
  return readMarkdown(shown(source)).flatMap((blocks, index) => {
    const lines = renderBlocks(blocks, context);
    return index === 0 ? lines : ["", ...lines];
  });
}

function renderBlocks(blocks: readonly Block[], context: MarkdownContext): string[] {
  return blocks.flatMap((block, index) => {
    const rendered = renderBlock(block, context);
    return index > 0 && hasGap(block, blocks[index - 1]) ? ["", ...rendered] : rendered;
  });
}

/** Between paragraphs and lists there is an empty line only if the source has one. */
function hasGap(block: Block, previous: Block | undefined): boolean {
  if (block.isAfterBlank) return true;
  const types = [previous?.type, block.type];
  return !types.every((type) => type === "list" || type === "paragraph");
}

function renderBlock(block: Block, context: MarkdownContext): string[] {
  const { width, paint } = context;
  switch (block.type) {
    case "paragraph":
      return wrapText(renderInline(block.content, paint), width);
    case "heading":
      return renderHeading(block, context);
    case "code":
      return renderCode(block, context);
    case "quote":
      return renderQuote(block.blocks, context);
    case "list":
      return renderList(block, context);
    case "table":
      return renderTable(block.rows, { alignments: block.alignments, width, paint });
    case "rule":
      return [paint.dim("─".repeat(Math.min(width, ruleWidth)))];
  }
}

type BlockOf<Type extends Block["type"]> = Extract<Block, { type: Type }>;

function renderHeading(
  { content, level }: BlockOf<"heading">,
  { width, paint }: MarkdownContext,
): string[] {
  const inline = renderInline(content, paint);
  const marks = paint.hasColors ? "" : `${"#".repeat(level)} `;
  return wrapText(
    paint.bold(level === 1 ? marks + paint.underline(inline) : marks + inline),
    width,
  );
}

function renderCode(
  { language, text }: BlockOf<"code">,
  { width, paint }: MarkdownContext,
): string[] {
  const label = language === "" ? [] : wrapText(paint.dim(language), width, { indent: "  " });
  const isDiff = /^diff\b/.test(language);
  const lines = text === "" ? [] : text.split("\n");
  const code = lines.flatMap((line) =>
    wrapExactly(isDiff ? diffLine(line, paint) : line, width, {
      indent: "  ",
      hanging: paint.dim("↪ "),
    }),
  );
  return label.length + code.length === 0 ? [""] : [...label, ...code];
}

function diffLine(line: string, paint: Paint): string {
  if (line.startsWith("+")) return paint.green(line);
  if (line.startsWith("-")) return paint.red(line);
  return line.startsWith("@@") ? paint.cyan(line) : line;
}

function renderQuote(blocks: readonly Block[], context: MarkdownContext): string[] {
  const { width, paint } = context;
  const hasRoom = width - 2 >= leastRoom;
  const bar = hasRoom ? paint.dim("│ ") : "";
  const inner = { ...context, width: hasRoom ? width - 2 : width };
  return renderBlocks(blocks, inner).map((line) => bar + line);
}

function renderList(
  { start, isLoose, items }: BlockOf<"list">,
  context: MarkdownContext,
): string[] {
  return items.flatMap((item, index) => {
    const number = start === undefined ? undefined : start + index;
    const lines = renderItem(item, signOf(item, number, context.listDepth), context);
    return isLoose && index > 0 ? ["", ...lines] : lines;
  });
}

function renderItem({ blocks }: ListItem, sign: string, context: MarkdownContext): string[] {
  const { width, listDepth } = context;
  const indent = widthOf(sign) + 1;
  const hasRoom = width - indent >= leastRoom;
  const room = hasRoom ? width - indent : width;
  const rendered = renderBlocks(blocks, { ...context, width: room, listDepth: listDepth + 1 });
  if (!hasRoom) return [...wrapText(sign, width), ...rendered];
  const hanging = " ".repeat(indent);
  const [first = "", ...others] = rendered;
  return [`${sign} ${first}`, ...others.map((line) => (line === "" ? "" : hanging + line))];
}

/** The bullet, number or checkbox of an item. */
function signOf({ isDone }: ListItem, number: number | undefined, listDepth: number): string {
  if (isDone !== undefined) return isDone ? "☑" : "☐";
  return number === undefined ? (bullets[listDepth % bullets.length] ?? "•") : `${number}.`;
}
