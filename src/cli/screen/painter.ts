import type { TerminalOutput } from "../command.ts";
import { Canvas, type ScreenFrame } from "./canvas.ts";

export interface PainterOptions {
  output: TerminalOutput;
  monotonicMs(): number;
  schedule(delayMs: number, run: () => void): () => void;
  /** What is to be seen now. */
  render(size: { width: number; height: number }): ScreenFrame;
  /** When what is seen changes by itself, because time passes; undefined where it does not. */
  changesInMs(): number | undefined;
}

/** Between two frames that nobody has typed for. */
const frameMs = 33;

/** Draws a screen when it has changed: at once for a key, soon for all else, and as time passes. */
export class Painter {
  readonly #options: PainterOptions;
  readonly #canvas: Canvas;
  readonly #onChange = () => this.draw();
  /** Lines that are to stay, and are not printed yet. */
  #printed: string[] = [];
  #lastDrawnMs = 0;
  #cancelDraw: (() => void) | undefined;
  #cancelTick: (() => void) | undefined;
  #isOver = false;

  constructor(options: PainterOptions) {
    const { output } = options;
    this.#options = options;
    this.#canvas = new Canvas(output);
    output.on("resize", this.#onChange);
    output.on("drain", this.#onChange);
  }

  get width(): number {
    return this.#canvas.width;
  }

  get height(): number {
    return this.#canvas.height;
  }

  /** Has lines stay above the frame, from the next one on. */
  print(lines: readonly string[]): void {
    for (const line of lines) this.#printed.push(line);
  }

  drawSoon(): void {
    if (this.#cancelDraw || this.#isOver) return;
    const { monotonicMs, schedule } = this.#options;
    const sinceLastMs = monotonicMs() - this.#lastDrawnMs;
    this.#cancelDraw = schedule(Math.max(0, frameMs - sinceLastMs), this.#onChange);
  }

  draw(): void {
    this.#cancelDraw?.();
    this.#cancelDraw = undefined;
    if (this.#isOver || !this.#canvas.isReady) return;
    this.#canvas.draw(this.#options.render(this.#canvas), this.#printed.splice(0));
    this.#lastDrawnMs = this.#options.monotonicMs();
    this.#tick();
  }

  /** Draws the last of what stays, takes the frame away, and draws no more. */
  end(): void {
    const { output } = this.#options;
    this.draw();
    this.#isOver = true;
    this.#cancelDraw?.();
    this.#cancelTick?.();
    output.off("resize", this.#onChange);
    output.off("drain", this.#onChange);
    this.#canvas.clear();
  }

  #tick(): void {
    const changesInMs = this.#options.changesInMs();
    if (this.#cancelTick || changesInMs === undefined) return;
    this.#cancelTick = this.#options.schedule(changesInMs, () => {
      this.#cancelTick = undefined;
      this.draw();
    });
  }
}
