import type { Io } from "../command.ts";

/**
 * The lines of a talk without a screen, and the prompt below them. Nothing that was printed is changed:
 * a line that comes while a prompt waits begins below it.
 */
export class PlainPage {
  readonly #io: Pick<Io, "out" | "terminal">;
  /** False where no person would see a prompt. */
  readonly #hasPrompt: boolean;
  #isPrompted = false;
  #isAfterBlank = true;

  constructor({ io, hasPrompt }: { io: Pick<Io, "out" | "terminal">; hasPrompt: boolean }) {
    this.#io = io;
    this.#hasPrompt = hasPrompt;
  }

  /** Prints lines. Of blank lines that follow each other, only the first is printed. */
  print(lines: readonly string[]): void {
    for (const line of lines.map((each) => each.trimEnd())) {
      const isBlank = line === "";
      if (isBlank && this.#isAfterBlank) continue;
      this.#leavePrompt();
      this.#io.out(line);
      this.#isAfterBlank = isBlank;
    }
  }

  /** Tells that a line may be typed, unless that is the last thing told. */
  prompt(text: string): void {
    if (!this.#hasPrompt || this.#isPrompted) return;
    this.#io.terminal.output.write(text);
    this.#isPrompted = true;
  }

  /** The terminal has gone to the next line, because the person has pressed Enter. */
  lineTyped(): void {
    this.#isPrompted = false;
    this.#isAfterBlank = false;
  }

  /** What is printed by others begins on a line of its own. */
  end(): void {
    this.#leavePrompt();
  }

  #leavePrompt(): void {
    if (!this.#isPrompted) return;
    this.#isPrompted = false;
    this.#io.terminal.output.write("\n");
  }
}
