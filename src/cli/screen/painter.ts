import type { Terminal } from "../command.ts";
import { AlternateScreen } from "./alternate-screen.ts";
import { Canvas, type ScreenFrame } from "./canvas.ts";

export interface PainterOptions {
  terminal: Pick<Terminal, "output" | "atExit">;
  monotonicMs(): number;
  schedule(delayMs: number, run: () => void): () => void;
  render(size: ScreenSize): ScreenFrame;
  /** When the frame changes just because time passes; undefined if it does not. */
  changesInMs(): number | undefined;
}

/** The minimum time between frames that no key caused. */
const frameMs = 33;

/** What covers the whole terminal for a while. Gives as many rows as the terminal has. */
export type Cover = (size: ScreenSize) => readonly string[];

interface ScreenSize {
  width: number;
  height: number;
}

/** Redraws the screen: at once after a key, soon after other changes, and as time passes. */
export class Painter {
  readonly #options: PainterOptions;
  readonly #canvas: Canvas;
  readonly #alternate: AlternateScreen;
  #cover: Cover | undefined;
  readonly #onChange = () => this.draw();
  /** Lines to print above the next frame. */
  #printed: string[] = [];
  #lastDrawnMs = 0;
  #cancelDraw: (() => void) | undefined;
  #cancelTick: (() => void) | undefined;
  #isOver = false;
  #isAway = false;

  constructor(options: PainterOptions) {
    const { output } = options.terminal;
    this.#options = options;
    this.#canvas = new Canvas(output);
    this.#alternate = new AlternateScreen(options.terminal);
    output.on("resize", this.#onChange);
    output.on("drain", this.#onChange);
  }

  get width(): number {
    return this.#canvas.width;
  }

  get height(): number {
    return this.#canvas.height;
  }

  /** Prints lines above the next frame. */
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
    if (this.#isOver || this.#isAway || !this.#canvas.isReady) return;
    if (this.#cover) this.#drawCover(this.#cover);
    else this.#canvas.draw(this.#options.render(this.#canvas), this.#printed.splice(0));
    this.#lastDrawnMs = this.#options.monotonicMs();
    this.#tick();
  }

  /** Shows `cover` instead of the screen until `uncover`. What is printed meanwhile comes after it. */
  cover(cover: Cover): void {
    if (!this.#cover) this.#alternate.enter();
    this.#cover = cover;
  }

  uncover(): void {
    if (this.#cover) this.#alternate.leave();
    this.#cover = undefined;
  }

  #drawCover(cover: Cover): void {
    const { rows } = this.#options.terminal.output;
    this.#alternate.draw(cover({ width: this.width, height: rows }));
  }

  /** Erases the frame, and draws nothing until `comeBack`. */
  leave(): void {
    if (this.#cover) this.#alternate.leave();
    this.#canvas.clear();
    this.#isAway = true;
  }

  comeBack(): void {
    this.#isAway = false;
    if (this.#cover) this.#alternate.enter();
    this.draw();
  }

  /** Erases the whole screen, whatever other programs have written to it. */
  wipe(): void {
    this.#canvas.wipe();
  }

  /** Prints the remaining lines, erases the frame, and stops drawing. */
  end(): void {
    const { output } = this.#options.terminal;
    this.uncover();
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
