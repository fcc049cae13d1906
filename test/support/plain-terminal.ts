import { PassThrough } from "node:stream";
import { noTerminal, troupeIn } from "../cli/troupe.ts";

/** How long something may take to be seen, on a machine that has much else to do. */
const patienceMs = 30_000;

/** A person at a terminal that shows plain lines, and what they see. */
export class PlainTerminal {
  readonly #input = Object.assign(new PassThrough(), { setRawMode: () => undefined, isTTY: true });
  readonly #waiting = new Set<() => void>();
  /** All that was printed, prompts too. */
  text = "";

  /** Talks until the input ends or the person leaves. */
  talk(root: string, ...argv: string[]) {
    const write = (text: string) => this.#add(text);
    const output = {
      ...{ columns: 80, rows: 24, writableNeedDrain: false, write },
      ...{ on: () => undefined, off: () => undefined },
    };
    const terminal = { ...noTerminal, input: this.#input, output };
    const onOut = (line: string) => this.#add(`${line}\n`);
    const world = { root, env: {}, terminal, onOut };
    return troupeIn(world, "--plain", "--model", "rehearsal", ...argv);
  }

  /** Types a line, which a terminal shows as it is typed. */
  type(line: string): void {
    this.#add(`${line}\n`);
    this.#input.write(`${line}\n`);
  }

  end(): void {
    this.#input.end();
  }

  /** Resolves to what was found, when it has been printed after the place `from`. */
  async shows(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    const deadline = AbortSignal.timeout(patienceMs);
    deadline.addEventListener("abort", () => this.#wake());
    for (;;) {
      const found = pattern.exec(this.text.slice(from));
      if (found) return found;
      if (deadline.aborted) throw new Error(`Not seen: ${pattern}\n${this.text}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #add(text: string): void {
    this.text += text;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
