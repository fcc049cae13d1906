import { oneLine } from "./one-line.ts";
import { widthOf } from "./styled-text.ts";

/** As many of the parts as fit side by side, the first ones first. */
export function fittingStart(parts: readonly string[], room: number): string {
  return fitting(
    parts.map((_, index) => parts.slice(0, parts.length - index)),
    room,
  );
}

/** As many of the parts as fit side by side, the last ones first. */
export function fittingEnd(parts: readonly (string | undefined)[], room: number): string {
  const all = parts.filter((part) => part !== undefined && part !== "");
  return fitting(
    all.map((_, index) => all.slice(index)),
    room,
  );
}

function fitting(choices: readonly (readonly (string | undefined)[])[], room: number): string {
  const lines = choices.map((parts) => oneLine(parts.join(" · ")));
  return lines.find((line) => widthOf(line) <= room) ?? "";
}
