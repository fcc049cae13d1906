import type { Terminal } from "../command.ts";

const enter = "\x1b[?1049h";
const leave = "\x1b[?1049l";
const beginUpdate = "\x1b[?2026h";
const endUpdate = "\x1b[?2026l";
const toTop = "\x1b[H";
const eraseToLineEnd = "\x1b[K";
const eraseBelow = "\x1b[J";

/** The terminal's second screen, which has no history and leaves no trace in that of the first. */
export class AlternateScreen {
  readonly #terminal: Pick<Terminal, "output" | "atExit">;
  #forget: (() => void) | undefined;

  constructor(terminal: Pick<Terminal, "output" | "atExit">) {
    this.#terminal = terminal;
  }

  enter(): void {
    const { output, atExit } = this.#terminal;
    // Restores the terminal however the process ends.
    this.#forget ??= atExit(() => output.write(leave));
    output.write(enter);
  }

  leave(): void {
    this.#forget?.();
    this.#forget = undefined;
    this.#terminal.output.write(leave);
  }

  /** Draws all rows of the screen; the cursor is after the last one. */
  draw(rows: readonly string[]): void {
    const body = rows.map((row) => `${row}${eraseToLineEnd}`).join("\r\n");
    this.#terminal.output.write(`${beginUpdate}${toTop}${body}${eraseBelow}${endUpdate}`);
  }
}
