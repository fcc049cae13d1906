import { type Block, BlockReader, type ListItem } from "./markdown/blocks.ts";
import { renderInline } from "./markdown/inline.ts";
import { Sections } from "./markdown/sections.ts";
import { renderTable } from "./markdown/table.ts";
import type { Paint } from "./paint.ts";
import { shown } from "./shown.ts";
import { widthOf } from "./styled-text.ts";
import { wrapExactly, wrapText } from "./wrap.ts";

interface Context {
  width: number;
  paint: Paint;
  /** How many quotes and lists are around. */
  depth: number;
  /** How many lists are around. */
  listDepth: number;
}

const maxDepth = 12;
const leastRoom = 8;
const ruleWidth = 60;
const bullets = ["•", "◦", "-"];

/**
 * Markdown as styled lines no wider than `width` (or 2). Never fails, whatever the text is;
 * everything in it is shown, and nothing of it is obeyed by the terminal.
 */
export function renderMarkdown(source: string, options: { width: number; paint: Paint }): string[] {
  const context = {
    paint: options.paint,
    width: Math.max(2, options.width),
    depth: 0,
    listDepth: 0,
  };
  const sections = new Sections();
  const parts = shown(source)
    .split(/(?<=\n)/)
    .flatMap((line) => sections.add(line));
  const rendered = [...parts, ...sections.end()].map((part) =>
    renderBlocks(part.split("\n"), context),
  );
  return rendered.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function renderBlocks(lines: readonly string[], context: Context): string[] {
  const blocks = new BlockReader(lines, context.depth < maxDepth).readAll();
  return blocks.flatMap((block, index) => {
    const rendered = renderBlock(block, context);
    return index > 0 && hasGap(block, blocks[index - 1]) ? ["", ...rendered] : rendered;
  });
}

/** A list may follow its introduction, and text the list it belongs to, without an empty line. */
function hasGap(block: Block, previous: Block | undefined): boolean {
  if (block.isAfterBlank) return true;
  const types = [previous?.type, block.type];
  return !types.every((type) => type === "list" || type === "paragraph");
}

function renderBlock(block: Block, context: Context): string[] {
  const { width, paint } = context;
  switch (block.type) {
    case "paragraph":
      return wrapText(renderInline(joined(block.lines), paint), width);
    case "heading":
      return renderHeading(block.text, block.level, context);
    case "code":
      return renderCode(block.info, block.lines, context);
    case "quote":
      return renderQuote(block.lines, context);
    case "list":
      return block.items.flatMap((item, index) => {
        const lines = renderItem(item, context);
        return index > 0 && item.isAfterBlank ? ["", ...lines] : lines;
      });
    case "table":
      return renderTable(block.rows, { alignments: block.alignments, width, paint });
    case "rule":
      return [paint.dim("─".repeat(Math.min(width, ruleWidth)))];
  }
}

/** A paragraph's lines as one, except where a line ends with two spaces or a backslash. */
function joined(lines: readonly string[]): string {
  return lines
    .map((line, index) => {
      const text = line.trim();
      if (index === lines.length - 1) return text;
      if (text.endsWith("\\")) return `${text.slice(0, -1)}\n`;
      return line.endsWith("  ") ? `${text}\n` : `${text} `;
    })
    .join("");
}

function renderHeading(text: string, level: number, { width, paint }: Context): string[] {
  const inline = renderInline(text, paint);
  const marks = paint.hasColors ? "" : `${"#".repeat(level)} `;
  return wrapText(
    paint.bold(level === 1 ? marks + paint.underline(inline) : marks + inline),
    width,
  );
}

function renderCode(info: string, lines: readonly string[], { width, paint }: Context): string[] {
  const label = info === "" ? [] : wrapText(paint.dim(info), width, { indent: "  " });
  const isDiff = /^diff\b/.test(info);
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

function renderQuote(lines: readonly string[], context: Context): string[] {
  const { width, depth, paint } = context;
  const hasRoom = width - 2 >= leastRoom;
  const inner = { ...context, width: hasRoom ? width - 2 : width, depth: depth + 1 };
  const bar = hasRoom ? paint.dim("│ ") : "";
  return renderBlocks(lines, inner).map((line) => bar + line);
}

function renderItem(item: ListItem, context: Context): string[] {
  const { width, depth, listDepth } = context;
  const { sign, lines } = signOf(item, listDepth);
  const indent = widthOf(sign) + 1;
  const hasRoom = width - indent >= leastRoom;
  const room = hasRoom ? width - indent : width;
  const inner = { ...context, width: room, depth: depth + 1, listDepth: listDepth + 1 };
  const rendered = renderBlocks(lines, inner);
  if (!hasRoom) return [...wrapText(sign, width), ...rendered];
  const hanging = " ".repeat(indent);
  const [first = "", ...others] = rendered;
  return [`${sign} ${first}`, ...others.map((line) => (line === "" ? "" : hanging + line))];
}

/** What stands before an item, and the item's lines without what that replaces. */
function signOf(
  { marker, isNumbered, lines }: ListItem,
  listDepth: number,
): { sign: string; lines: readonly string[] } {
  if (isNumbered) return { sign: marker, lines };
  const [first = "", ...others] = lines;
  const box = /^\[([ xX])\] (?=.)/.exec(first);
  if (!box) return { sign: bullets[listDepth % bullets.length] ?? "•", lines };
  return { sign: box[1] === " " ? "☐" : "☑", lines: [first.slice(4), ...others] };
}
