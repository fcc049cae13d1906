import type { Alignment, Inline } from "../../lib/markdown.ts";
import { type Block, type ListItem, readMarkdown, targetOf } from "../../lib/markdown.ts";
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

interface TableOptions {
  alignments: readonly Alignment[];
  width: number;
  paint: Paint;
}

const leastColumn = 6;
const gapWidth = 3;

/** Rows in aligned columns, or each cell on its own line with its heading if there is no room. */
function renderTable(
  rows: readonly (readonly (readonly Inline[])[])[],
  options: TableOptions,
): string[] {
  const { width, paint, alignments } = options;
  const count = Math.max(...rows.map((row) => row.length));
  const cells = rows.map((row, index) =>
    Array.from({ length: count }, (_, column) => {
      const text = renderInline(row[column] ?? [], paint);
      return index === 0 ? paint.bold(text) : text;
    }),
  );
  const room = width - gapWidth * (count - 1);
  const widths = columnWidths(cells, count, room);
  if (!widths) return renderRecords(cells, width);

  const line = paint.dim(widths.map((each) => "─".repeat(each)).join("─┼─"));
  const [head = [], ...body] = cells.map((row) => renderRow(row, { widths, alignments, paint }));
  return [...head, line, ...body.flat()];
}

/** The width of each column; undefined if they do not fit side by side. */
function columnWidths(
  cells: readonly (readonly string[])[],
  count: number,
  room: number,
): number[] | undefined {
  const natural = Array.from({ length: count }, (_, column) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[column] ?? "")), 1),
  );
  const least = natural.reduce((sum, each) => sum + Math.min(each, leastColumn), 0);
  if (least > room) return undefined;

  // From the narrowest on, each column gets what it needs or its share of the rest.
  const widths = [...natural];
  const byWidth = natural
    .map((_, column) => column)
    .sort((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0));
  let left = room;
  for (const [done, column] of byWidth.entries()) {
    const share = Math.max(1, Math.floor(left / (count - done)));
    widths[column] = Math.min(natural[column] ?? 0, share);
    left -= widths[column] ?? 0;
  }
  return widths;
}

function renderRow(
  row: readonly string[],
  {
    widths,
    alignments,
    paint,
  }: { widths: readonly number[]; alignments: readonly Alignment[]; paint: Paint },
): string[] {
  const wrapped = row.map((cell, column) => wrapText(cell, widths[column] ?? 1));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    wrapped
      .map((lines, column) => aligned(lines[index] ?? "", widths[column] ?? 1, alignments[column]))
      .join(paint.dim(" │ "))
      .trimEnd(),
  );
}

function aligned(text: string, width: number, alignment: Alignment = "left"): string {
  const space = Math.max(0, width - widthOf(text));
  const before = alignment === "left" ? 0 : alignment === "right" ? space : Math.floor(space / 2);
  return " ".repeat(before) + text + " ".repeat(space - before);
}

function renderRecords(cells: readonly (readonly string[])[], width: number): string[] {
  const [head = [], ...rows] = cells;
  if (rows.length === 0) return wrapText(head.join(" "), width);
  const texts = rows.map((row) =>
    row.flatMap((cell, column) =>
      wrapText(`${head[column] ?? ""}: ${cell}`, width, { indent: "", hanging: "  " }),
    ),
  );
  return texts.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

/** The styled text of a paragraph, heading or cell. Only breaks start a new line. */
function renderInline(content: readonly Inline[], paint: Paint): string {
  return content.map((each) => renderOne(each, paint)).join("");
}

function renderOne(inline: Inline, paint: Paint): string {
  switch (inline.type) {
    case "text":
      return inline.text.replace(/ *\n */g, " ");
    case "break":
      return "\n";
    case "code":
      // Without colours, backticks tell code from text.
      return paint.hasColors ? paint.cyan(inline.text) : `\`${inline.text}\``;
    case "bold":
      return paint.bold(renderInline(inline.content, paint));
    case "italic":
      return paint.italic(renderInline(inline.content, paint));
    case "strike":
      return paint.strike(renderInline(inline.content, paint));
    case "link":
      return renderLink(inline, paint);
  }
}

function renderLink(link: Extract<Inline, { type: "link" }>, paint: Paint): string {
  const target = targetOf(link);
  const words = paint.underline(renderInline(link.content, paint));
  return target === undefined ? words : words + paint.dim(` (${target})`);
}
