import type { MessageView } from "../../../../src/protocol/dashboard.ts";
import type { Arrow } from "./columns.ts";

/** An arrow as SVG paths. Their left edge is `reach` pixels left of the arrow's. */
export interface ArrowPaths {
  line: string;
  /** The distance of the line from the top. */
  startY: number;
  /** Filled heads mean seen. */
  seen: string;
  /** Hollow heads mean not yet seen. */
  queued: string;
  /** Crosses mean undelivered. */
  stopped: string;
}

export interface Head {
  x: number;
  state: MessageView["state"];
}

/** The space drawn beyond the arrow's ends. */
export const reach = 32;
/** The height of the drawing, and the position of the line in it. */
export const arrowHeight = 20;
const middle = arrowHeight / 2;
const headLength = 8;
const loop = 22;

export function arrowPaths(arrow: Arrow, heads: readonly Head[]): ArrowPaths {
  const at = (x: number) => x - arrow.left + reach;
  const from = at(arrow.from);
  const paths = { seen: "", queued: "", stopped: "" };
  const ends: number[] = [];
  for (const { x, state } of heads) {
    const tip = at(x);
    const isLoop = tip === from;
    const direction = tip > from ? 1 : -1;
    const y = isLoop ? middle + 5 : middle;
    const base = tip - direction * headLength;
    if (!isLoop) ends.push(state === "delivered" ? tip : base);
    const triangle = `M${tip} ${y}L${base} ${y - 4}V${y + 4}Z`;
    if (state === "delivered") paths.seen += triangle;
    else if (state === "queued") paths.queued += triangle;
    else paths.stopped += cross(tip - direction * 6, y);
  }
  const straight =
    ends.length > 0 && `M${Math.min(from, ...ends)} ${middle}H${Math.max(from, ...ends)}`;
  const isLoop = heads.some(({ x }) => x === arrow.from);
  const round = isLoop && `M${from} ${middle - 5}h${loop}v10H${from + headLength}`;
  const startY = isLoop && !straight ? middle - 5 : middle;
  return { line: [straight, round].filter(Boolean).join(""), startY, ...paths };
}

function cross(x: number, y: number): string {
  return `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`;
}
