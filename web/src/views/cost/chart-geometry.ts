import type { Band } from "./spend.ts";

/** Converts times and amounts to pixels. */
export interface Scale {
  x(at: number): number;
  y(amount: number): number;
}

export interface ChartFrame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function scaleOf(frame: ChartFrame, times: readonly number[], most: number): Scale {
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
  const span = last - first || 1;
  const inner = frame.width - frame.left - frame.right;
  const depth = frame.height - frame.top - frame.bottom;
  return {
    x: (time) => frame.left + ((time - first) / span) * inner,
    y: (amount) => frame.height - frame.bottom - (amount / (most || 1)) * depth,
  };
}

/** The band's area, and the line along its upper edge. */
export function bandPaths(
  { values, base }: Band,
  times: readonly number[],
  { x, y }: Scale,
): { area: string; edge: string } {
  const point = (time: number, amount: number) => `${round(x(time))} ${round(y(amount))}`;
  const upper = times.map((time, at) => point(time, (base[at] ?? 0) + (values[at] ?? 0)));
  const lower = times.map((time, at) => point(time, base[at] ?? 0)).reverse();
  return { area: `M${[...upper, ...lower].join("L")}Z`, edge: `M${upper.join("L")}` };
}

/** The index of the time in `times` that is nearest to the pixel `place`. */
export function nearest(times: readonly number[], { x }: Scale, place: number): number {
  let best = 0;
  for (const [at, time] of times.entries()) {
    if (Math.abs(x(time) - place) < Math.abs(x(times[best] ?? 0) - place)) best = at;
  }
  return best;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
