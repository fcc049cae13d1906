import { months } from "../../state/times.ts";

/** Round numbers from 0 to at least `most`, in about `count` steps. */
export function niceTicks(most: number, count: number): number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0, 1];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough * (1 - 1e-9)) ?? 10;
  const step = factor * power;
  const steps = Math.ceil(most / step - 1e-9);
  // Multiplied, not added up: rounding errors would accumulate.
  return Array.from({ length: steps + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Round time intervals. */
const spans = [
  ...[1, 2, 5, 10, 15, 30].map((each) => each * secondMs),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * minuteMs),
  ...[1, 2, 3, 6, 12].map((each) => each * hourMs),
  ...[1, 2, 7, 14, 28].map((each) => each * dayMs),
];

export interface TimeTick {
  ms: number;
  /** The time of day, or the day if the ticks are days apart. */
  text: string;
}

/**
 * Round times of day between two times, at most about `count`. `offsetMs` is how far local time is
 * ahead of UTC: the times are round in local time.
 */
export function timeTicks({
  from,
  to,
  count,
  offsetMs,
}: {
  from: number;
  to: number;
  count: number;
  offsetMs: number;
}): TimeTick[] {
  if (!(to > from)) return [];
  const least = (to - from) / Math.max(1, count);
  const span = spans.find((each) => each >= least) ?? Math.ceil(least / dayMs) * dayMs;
  const ticks: TimeTick[] = [];
  const first = Math.ceil((from + offsetMs) / span) * span - offsetMs;
  for (let ms = first; ms <= to; ms += span)
    ticks.push({ ms, text: tickText(ms + offsetMs, span) });
  return ticks;
}

function tickText(localMs: number, span: number): string {
  const date = new Date(localMs).toISOString();
  const [, month, day] = date.slice(0, 10).split("-").map(Number);
  if (span >= dayMs) return `${day} ${months[(month ?? 1) - 1]}`;
  return date.slice(11, span < minuteMs ? 19 : 16);
}

/** An amount of money on an axis whose steps are `step` apart. */
export function moneyTick(usd: number, step: number): string {
  if (Number.isInteger(step)) return `$${usd.toFixed(0)}`;
  // As many digits as the step itself: 0.025 needs one more than its magnitude suggests.
  const most = 8;
  let digits = 2;
  while (digits < most && Number(step.toFixed(digits)) !== Number(step.toFixed(most))) digits++;
  return `$${usd.toFixed(digits)}`;
}
