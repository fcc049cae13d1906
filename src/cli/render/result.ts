import { callParts } from "../../lib/call-parts.ts";
import { lastWritten, type OutputText, readCommandResult } from "../../lib/output-text.ts";
import type { TalkItem } from "../talk/event-items.ts";
import { type Brief, firstLines } from "./brief.ts";
import { diffLines, renderDiffLine } from "./diff.ts";
import { indented } from "./lines.ts";
import type { TextFormat } from "./paint.ts";
import { shown } from "./shown.ts";
import { widthOf } from "./styled-text.ts";
import { cutToWidth, wrapExactly, wrapText } from "./wrap.ts";

type ResultItem = Extract<TalkItem, { type: "result" }>;

/** How much is shown of a result, and of the end of a command's output. */
const resultRows = 4;
const outputRows = 8;
/** How much is shown of a change that was made without a question. */
const changeRows = 20;
const indent = 4;

/** The result of a call. `showsChange` is false if the person has already seen the change of a file. */
export function renderResult(item: ResultItem, format: TextFormat, showsChange: boolean): Brief {
  const call = callParts(item.name, item.input);
  if (call.type === "command") return renderCommandEnd(item, format);
  const report = renderReport(item, format);
  if (call.type !== "change" || !showsChange) return report;
  // What a failed call would have changed is only in its whole.
  if (item.isError && !format.isWhole) return report;
  const change = renderChange(call, format);
  return { lines: [...report.lines, ...change.lines], isCut: report.isCut || change.isCut };
}

function renderChange(
  { before, after }: { before: string | undefined; after: string },
  format: TextFormat,
): Brief {
  const { lines, digits } = diffLines(before ?? "", after, { hasNumbers: before === undefined });
  const options = { paint: format.paint, width: format.width - indent, digits };
  return firstLines(lines, {
    most: changeRows,
    render: (line) => indented(renderDiffLine(line, options), indent),
    format,
  });
}

function renderReport({ output, isError }: ResultItem, format: TextFormat): Brief {
  const { width, paint } = format;
  const style = isError ? paint.red : paint.dim;
  const lines = output
    .trimEnd()
    .split("\n")
    .filter((line) => line.trim() !== "");
  const brief = firstLines(lines, {
    most: resultRows,
    render(line, index) {
      const start = index === 0 ? `  ${markOf(isError)} ` : " ".repeat(indent);
      if (!isError && !format.isWhole) return [paint.dim(cutToWidth(start + shown(line), width))];
      return wrapText(shown(line), width, { indent: start }).map(style);
    },
    format,
  });
  return { ...brief, isCut: brief.isCut || isAnyWider(lines.slice(0, resultRows), format) };
}

/** Errors and summaries are at the end of an output, so that is what is shown. */
function renderCommandEnd({ output, isError }: ResultItem, format: TextFormat): Brief {
  const { width, paint } = format;
  const { outcome, ...text } = readCommandResult(output);
  const isCut = !format.isWhole && text.count > outputRows + 1;
  const last = isCut ? text.lines.slice(-outputRows) : text.lines;
  const style = isError ? paint.red : paint.dim;
  const facts = [
    ...(outcome === undefined ? [] : [style(shown(outcome))]),
    ...(isCut ? [paint.dim(lengthOf(text, format))] : []),
  ];
  const mark = style(`  ${markOf(isError)} `);
  const head = facts.length === 0 ? [] : wrapText(facts.join(", "), width, { indent: mark });
  const body = last.flatMap((line, index) => {
    const start = head.length === 0 && index === 0 ? mark : " ".repeat(indent);
    if (format.isWhole) return wrapExactly(shown(line), width, { indent: start });
    return start + paint.dim(cutToWidth(shown(lastWritten(line)), width - indent));
  });
  const isCutInLine = !format.isWhole && last.some((line) => line.includes("\r"));
  return { lines: [...head, ...body], isCut: isCut || isCutInLine || isAnyWider(last, format) };
}

function lengthOf({ count, whereabouts }: OutputText, { opener }: TextFormat): string {
  const notes = [
    ...(opener ? [`${opener} opens`] : []),
    ...(whereabouts ? [shown(whereabouts)] : []),
  ];
  const note = notes.length > 0 ? ` (${notes.join("; ")})` : "";
  return `${count} lines${note}, the last ${outputRows}:`;
}

function isAnyWider(lines: readonly string[], { width, isWhole }: TextFormat): boolean {
  return !isWhole && lines.some((line) => widthOf(shown(line)) > width - indent);
}

function markOf(isError: boolean): string {
  return isError ? "✗" : "└";
}
