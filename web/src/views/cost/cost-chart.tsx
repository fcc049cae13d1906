import { useMemo, useRef, useState } from "preact/hooks";
import { shortCount } from "../../../../src/protocol/amounts.ts";
import type { CostView } from "../../../../src/protocol/dashboard.ts";
import { useSize } from "../../hooks/use-size.ts";
import { momentText } from "../../state/times.ts";
import { amountText } from "./amount-text.ts";
import { bandPaths, type ChartFrame, nearest, type Scale, scaleOf } from "./chart-geometry.ts";
import type { Band, Measure } from "./spend.ts";
import { moneyTick, niceTicks, timeTicks } from "./ticks.ts";

interface ChartProps {
  view: CostView;
  bands: readonly Band[];
  colors: ReadonlyMap<string, string>;
  measure: Measure;
}

const height = 320;

/** The cost over time, one band for each member, with the numbers at one time. */
export function CostChart({ view, bands, colors, measure }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box);
  const [pointed, setPointed] = useState<number | null>(null);
  const times = useMemo(() => view.times.map((time) => Date.parse(time)), [view]);
  const last = times.length - 1;
  const at = Math.min(pointed ?? last, last);
  const time = view.times[at] ?? "";
  const ticks = niceTicks(sumAt(bands, last), 5);
  const frame: ChartFrame = { width, height, left: 64, right: 16, top: 12, bottom: 30 };
  const scale = scaleOf(frame, times, ticks.at(-1) ?? 1);
  const point = (event: PointerEvent) => {
    const left = box.current?.getBoundingClientRect().left ?? 0;
    setPointed(nearest(times, scale, event.clientX - left));
  };
  const drawn = { frame, scale, bands, colors, times };
  return (
    <figure class="cost-figure">
      <Readout time={time} at={at} bands={bands} colors={colors} measure={measure} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its attributes make it a slider. */}
      <div
        class="cost-chart"
        ref={box}
        {...sliderAria({ at, last, measure, text: spokenAt(time, at, bands, measure) })}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(null)}
        onKeyDown={(event) => followKey(event, { at, last, pointed, setPointed })}
      >
        <svg aria-hidden="true" width={width} height={height}>
          <Axes {...drawn} ticks={ticks} measure={measure} />
          <Bands {...drawn} />
          {pointed !== null && <Crosshair {...drawn} time={times[at] ?? 0} at={at} />}
        </svg>
      </div>
    </figure>
  );
}

interface Slider {
  at: number;
  last: number;
  measure: Measure;
  text: string;
}

/** The chart is a slider through time for screen readers. */
function sliderAria({ at, last, measure, text }: Slider) {
  return {
    role: "slider",
    tabIndex: 0,
    "aria-label": `${measure === "cost" ? "Cost" : "Tokens"} over time`,
    "aria-valuemin": 0,
    "aria-valuemax": last,
    "aria-valuenow": at,
    "aria-valuetext": text,
  } as const;
}

interface PointedTime {
  at: number;
  last: number;
  pointed: number | null;
  setPointed(at: number | null): void;
}

function followKey(event: KeyboardEvent, { at, last, pointed, setPointed }: PointedTime): void {
  const next = keyTarget(event.key, at, last);
  if (next === null && (event.key !== "Escape" || pointed === null)) return;
  event.preventDefault();
  setPointed(next);
}

interface ReadoutProps extends Omit<ChartProps, "view"> {
  time: string;
  at: number;
}

/** The numbers at one time. Space for all of them is reserved from the start. */
function Readout({ time, at, bands, colors, measure }: ReadoutProps) {
  return (
    <figcaption class="cost-readout">
      <span class="cost-moment">{time && momentText(time)}</span>
      <strong>{amountText(sumAt(bands, at), measure)}</strong>
      <ul>
        {bands.map(({ name, values }) => (
          <li key={name}>
            <span class="cost-swatch" style={{ background: colors.get(name) }} />
            <span class="cost-name">{name}</span>{" "}
            <span class="cost-number">{amountText(values[at] ?? 0, measure)}</span>
          </li>
        ))}
      </ul>
    </figcaption>
  );
}

interface AxesProps {
  frame: ChartFrame;
  scale: Scale;
  ticks: readonly number[];
  times: readonly number[];
  measure: Measure;
}

function Axes({ frame, scale, ticks, times, measure }: AxesProps) {
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 0];
  const count = Math.max(2, Math.floor(frame.width / 110));
  const offsetMs = -new Date(to).getTimezoneOffset() * 60_000;
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  return (
    <g class="cost-axes">
      {ticks.map((tick) => (
        <g key={tick}>
          <path d={`M${frame.left} ${scale.y(tick)}H${frame.width - frame.right}`} />
          <text x={frame.left - 10} y={scale.y(tick)} dy="0.35em" text-anchor="end">
            {measure === "cost" ? moneyTick(tick, step) : shortCount(tick)}
          </text>
        </g>
      ))}
      {timeTicks({ from, to, count, offsetMs }).map(({ ms, text }) => (
        <text key={ms} x={scale.x(ms)} y={frame.height - 8} text-anchor="middle">
          {text}
        </text>
      ))}
    </g>
  );
}

interface BandsProps {
  bands: readonly Band[];
  times: readonly number[];
  scale: Scale;
  colors: ReadonlyMap<string, string>;
}

function Bands({ bands, times, scale, colors }: BandsProps) {
  return (
    <g class="cost-bands">
      {bands.map((band) => {
        const { area, edge } = bandPaths(band, times, scale);
        return (
          <g key={band.name} style={{ color: colors.get(band.name) }}>
            <path class="area" d={area} />
            <path class="edge" d={edge} />
          </g>
        );
      })}
    </g>
  );
}

interface CrosshairProps extends Omit<BandsProps, "times"> {
  frame: ChartFrame;
  time: number;
  at: number;
}

function Crosshair({ frame, scale, time, at, bands, colors }: CrosshairProps) {
  const x = scale.x(time);
  return (
    <g class="cost-crosshair">
      <path d={`M${x} ${frame.top}V${frame.height - frame.bottom}`} />
      {bands.map(({ name, base, values }) => (
        <circle
          key={name}
          cx={x}
          cy={scale.y((base[at] ?? 0) + (values[at] ?? 0))}
          r="3.5"
          style={{ color: colors.get(name) }}
        />
      ))}
    </g>
  );
}

function sumAt(bands: readonly Band[], at: number): number {
  return bands.reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
}

function spokenAt(time: string, at: number, bands: readonly Band[], measure: Measure): string {
  const parts = bands.map(({ name, values }) => `${name} ${amountText(values[at] ?? 0, measure)}`);
  const total = `total ${amountText(sumAt(bands, at), measure)}`;
  return [time && momentText(time), total, ...parts].join(", ");
}

function keyTarget(key: string, at: number, last: number): number | null {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(0, at - 1);
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(last, at + 1);
    case "PageDown":
      return Math.max(0, at - 10);
    case "PageUp":
      return Math.min(last, at + 10);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}
