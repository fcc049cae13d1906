import type { Line, SimpleCommand } from "./line.ts";
import type { Route } from "./routes.ts";

/** More commands than a person could look through are not judged one by one. */
const mostCommands = 500;
const deepest = 100;
const mostRoutes = 16;

/** What has been found in a line so far, and how far one may look. */
export class Findings {
  readonly #commands: SimpleCommand[] = [];
  readonly #doubts = new Set<string>();
  #depth = 0;
  #isWhole = true;

  get line(): Line {
    return { commands: this.#commands, doubts: [...this.#doubts], isWhole: this.#isWhole };
  }

  add(command: SimpleCommand): void {
    this.#commands.push(command);
  }

  /** The line does something by which it cannot be judged. */
  doubt(reason: string): void {
    this.#doubts.add(reason);
  }

  /** Some of the line's commands will not be found. */
  giveUp(reason: string): void {
    this.#isWhole = false;
    this.doubt(reason);
  }

  /** As many directories as can be followed. */
  bounded(routes: readonly Route[]): readonly Route[] {
    const isTooFar = routes.some((route) => route.length > mostRoutes);
    if (isTooFar || routes.length > mostRoutes) this.giveUp("it changes the directory too often");
    return routes.slice(0, mostRoutes);
  }

  /** True when there is no use in looking for more. */
  isFull(): boolean {
    if (this.#commands.length >= mostCommands) {
      this.giveUp(`it has more than ${mostCommands} commands`);
    }
    return !this.#isWhole;
  }

  /** Looks one level deeper, unless that is too deep. */
  deeper<T>(look: () => T): T | undefined {
    if (this.isFull()) return undefined;
    if (this.#depth >= deepest) {
      this.giveUp("it is nested too deeply");
      return undefined;
    }
    this.#depth++;
    const found = look();
    this.#depth--;
    return found;
  }
}

/** Of a command that nothing is wrong with but perhaps its words. */
export const undoubted = { doubt: undefined, caution: undefined };
