import { z } from "zod";
import { type CallParts, callParts } from "../../lib/call-parts.ts";
import { showHidden } from "../../permissions/show-hidden.ts";
import type { PermissionSubject } from "../../protocol/request.ts";
import { renderDiff } from "./diff.ts";
import { oneLine } from "./one-line.ts";
import type { TextFormat } from "./paint.ts";
import { shown } from "./shown.ts";
import { wrapExactly, wrapText } from "./wrap.ts";

const Arguments = z.record(z.string(), z.unknown());

/**
 * A complete description of the tool call that a request is about, for the person who decides on
 * it: commands with all their lines, edits as diffs, everything else by its arguments, after what
 * the tool itself says about the call.
 */
export function describeCall(
  { tool, input, summary }: PermissionSubject,
  format: TextFormat,
): string[] {
  return [
    ...wrapText(format.paint.bold(shown(tool)), format.width),
    ...(summary === undefined ? [] : wrapText(oneLine(summary), format.width)),
    ...describeInput(tool, input, format),
  ];
}

/** Makes hidden characters in all texts visible, so that what is shown is what runs. */
function spelledOut(value: unknown): unknown {
  if (typeof value === "string") return showHidden(value);
  if (Array.isArray(value)) return value.map(spelledOut);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [showHidden(key), spelledOut(each)]);
  return Object.fromEntries(entries);
}

/** All arguments of a call. */
export function describeInput(name: string, given: unknown, format: TextFormat): string[] {
  const input = spelledOut(given);
  const call = callParts(name, input);
  if (call.type === "command") {
    return [...describeCommand(call.command, format), ...describeArguments(call.others, format)];
  }
  if (call.type === "change") {
    return [...describeChange(call, format), ...describeArguments(call.others, format)];
  }
  const parsed = Arguments.safeParse(input);
  return parsed.success ? describeArguments(parsed.data, format) : describeValue(input, format);
}

function describeCommand(command: string, format: TextFormat): string[] {
  const lines = shown(command).split("\n");
  return lines.flatMap((line, index) => exactly(line, format, index === 0 ? "$ " : "  "));
}

function describeChange(
  change: Extract<CallParts, { type: "change" }>,
  format: TextFormat,
): string[] {
  const { path, before, after } = change;
  if (before !== undefined) {
    const whole = { context: Number.POSITIVE_INFINITY, hasNumbers: false };
    return renderDiff(before, after, { ...format, path, ...whole });
  }
  if (after !== "") return renderDiff("", after, { ...format, path });
  return wrapText(
    `${format.paint.bold(shown(path))}\n${format.paint.dim("(empty)")}`,
    format.width,
  );
}

function describeArguments(input: Record<string, unknown>, format: TextFormat): string[] {
  return Object.entries(input).flatMap(([key, value]) => {
    const label = `${format.paint.dim(`${/^\w+$/.test(key) ? key : shown(JSON.stringify(key))}:`)} `;
    const lines = shown(textOf(value)).split("\n");
    if (lines.length === 1) return exactly(label + lines.join(""), format, "");
    return [...exactly(label, format, ""), ...lines.flatMap((line) => exactly(line, format, "  "))];
  });
}

function describeValue(input: unknown, format: TextFormat): string[] {
  return shown(textOf(input))
    .split("\n")
    .flatMap((line) => exactly(line, format, ""));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value));
}

function exactly(line: string, { width, paint }: TextFormat, indent: string): string[] {
  return wrapExactly(line, width, { indent, hanging: paint.dim("↪ ") });
}
