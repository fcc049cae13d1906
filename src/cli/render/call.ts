import { z } from "zod";
import { type CallParts, callParts } from "../../lib/call-parts.ts";
import { showHidden } from "../../permissions/show-hidden.ts";
import { renderDiff } from "./diff.ts";
import type { Paint } from "./paint.ts";
import { shown } from "./shown.ts";
import { wrapExactly, wrapText } from "./wrap.ts";

interface Look {
  width: number;
  paint: Paint;
}

const Arguments = z.record(z.string(), z.unknown());

/**
 * What a tool call would do, whole, for the person who decides on it: commands with all their
 * lines, edits as diffs, everything else by its arguments. Nothing is left out.
 */
export function describeCall(name: string, input: unknown, look: Look): string[] {
  return [
    ...wrapText(look.paint.bold(shown(name)), look.width),
    ...describeInput(name, spelledOut(input), look),
  ];
}

/** With everything in its texts that a screen would leave out, so that what is shown is what runs. */
function spelledOut(value: unknown): unknown {
  if (typeof value === "string") return showHidden(value);
  if (Array.isArray(value)) return value.map(spelledOut);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [showHidden(key), spelledOut(each)]);
  return Object.fromEntries(entries);
}

function describeInput(name: string, input: unknown, look: Look): string[] {
  const call = callParts(name, input);
  if (call.type === "command") {
    return [...describeCommand(call.command, look), ...describeArguments(call.others, look)];
  }
  if (call.type === "change") {
    return [...describeChange(call, look), ...describeArguments(call.others, look)];
  }
  const parsed = Arguments.safeParse(input);
  return parsed.success ? describeArguments(parsed.data, look) : describeValue(input, look);
}

function describeCommand(command: string, look: Look): string[] {
  const lines = shown(command).split("\n");
  return lines.flatMap((line, index) => exactly(line, look, index === 0 ? "$ " : "  "));
}

function describeChange(change: Extract<CallParts, { type: "change" }>, look: Look): string[] {
  const { path, before, after } = change;
  if (before !== undefined) {
    const whole = { context: Number.POSITIVE_INFINITY, hasNumbers: false };
    return renderDiff(before, after, { ...look, path, ...whole });
  }
  if (after !== "") return renderDiff("", after, { ...look, path });
  return wrapText(`${look.paint.bold(shown(path))}\n${look.paint.dim("(empty)")}`, look.width);
}

function describeArguments(input: Record<string, unknown>, look: Look): string[] {
  return Object.entries(input).flatMap(([key, value]) => {
    const label = `${look.paint.dim(`${/^\w+$/.test(key) ? key : shown(JSON.stringify(key))}:`)} `;
    const lines = shown(textOf(value)).split("\n");
    if (lines.length === 1) return exactly(label + lines.join(""), look, "");
    return [...exactly(label, look, ""), ...lines.flatMap((line) => exactly(line, look, "  "))];
  });
}

function describeValue(input: unknown, look: Look): string[] {
  return shown(textOf(input))
    .split("\n")
    .flatMap((line) => exactly(line, look, ""));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value));
}

function exactly(line: string, { width, paint }: Look, indent: string): string[] {
  return wrapExactly(line, width, { indent, hanging: paint.dim("↪ ") });
}
