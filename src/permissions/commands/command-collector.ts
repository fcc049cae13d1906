import type { DirectoryRoutes } from "./directory-routes.ts";
import type { LineCommands, SimpleCommand } from "./line-commands.ts";

/** Deeper nesting is not judged. */
export const maxDepth = 100;
/** Longer lines are not judged command by command. */
const mostCommands = 500;
const mostWords = 2_000;
/** The most steps of the walk, for loops that multiply and tests that run nothing. */
const mostSteps = 5_000;
/** The most characters of scripts within the line; each use counts again. */
const mostText = 50_000;
const mostRoutes = 16;

/** The commands found in a line so far, and the limits of the search. */
export class CommandCollector {
  readonly #commands: SimpleCommand[] = [];
  readonly #doubts = new Set<string>();
  #hiddenProgram: string | undefined;
  #depth = 0;
  #steps = 0;
  #words = 0;
  #text = 0;
  #isWhole = true;

  get line(): LineCommands {
    return {
      commands: this.#commands,
      doubts: [...this.#doubts],
      isWhole: this.#isWhole,
      hiddenProgram: this.#hiddenProgram,
    };
  }

  add(command: SimpleCommand): void {
    if (this.hasRoomFor(command.words.length * command.routes.length)) {
      this.#commands.push(command);
      this.#words += command.words.length * command.routes.length;
    }
  }

  /** False if there are too many words; the search then ends. */
  hasRoomFor(words: number): boolean {
    const hasRoom = this.#words + words <= mostWords;
    if (!hasRoom) this.giveUp(`it has more than ${mostWords} words`);
    return hasRoom;
  }

  /** The same for the text of a script within the line. */
  hasRoomForText(text: string): boolean {
    this.#text += text.length;
    const hasRoom = this.#text <= mostText;
    if (!hasRoom) this.giveUp("it repeats a script too often");
    return hasRoom;
  }

  /** Records why the line cannot be judged. */
  doubt(reason: string): void {
    this.#doubts.add(reason);
  }

  /**
   * Records that the line runs a program that it does not name, so that rules for programs cannot
   * be applied.
   */
  noteHiddenProgram(reason: string): void {
    this.#hiddenProgram ??= reason;
  }

  /** Records that some of the line's commands were not found. */
  giveUp(reason: string): void {
    this.#isWhole = false;
    this.doubt(reason);
  }

  /** As many directories as can be followed. */
  bounded(routes: DirectoryRoutes): DirectoryRoutes {
    const isTooFar = routes.some((route) => route.length > mostRoutes);
    if (isTooFar || routes.length > mostRoutes) this.giveUp("it changes the directory too often");
    return routes.slice(0, mostRoutes);
  }

  /** True if the search has ended. */
  isFull(): boolean {
    if (this.#commands.length >= mostCommands) {
      this.giveUp(`it has more than ${mostCommands} commands`);
    }
    return !this.#isWhole;
  }

  /** Looks one level deeper, unless that is too deep. */
  deeper<T>(look: () => T): T | undefined {
    if (this.isFull()) return undefined;
    this.#steps++;
    if (this.#depth >= maxDepth || this.#steps > mostSteps) {
      this.giveUp("it is nested too deeply or repeated too often");
      return undefined;
    }
    this.#depth++;
    const found = look();
    this.#depth--;
    return found;
  }
}

/** A command without words, for what the shell does by itself. */
export const shellItself = {
  words: [],
  wrappings: [],
  opened: [],
  listed: [],
  doubt: undefined,
  caution: undefined,
} as const;
