import { type Argument, anyNumber, anyWords, isNumeric } from "./argument.ts";

/** Variables that the shell sets by itself, so that nobody knows what they hold. */
const ownVariable =
  /^(_|REPLY|PWD|OLDPWD|MAPFILE|COPROC|RANDOM|SRANDOM|SECONDS|EPOCH.*|LINENO|LINES|COLUMNS|PIPESTATUS|FUNCNAME|DIRSTACK|GROUPS|E?UID|PPID|SHLVL|BASH.*|OPTARG|OPTIND|OPTERR|HIST.*|HOST.*|OSTYPE|MACHTYPE|COMP_.*|COMPREPLY|READLINE_.*)$/;

/** A loop whose variables are not settled after so many rounds is not understood. */
const mostRounds = 8;

type Values = ReadonlyMap<string, Argument>;

/**
 * What a line's variables are known to hold while it is walked. Names that are not here may hold
 * anything, what the environment has among it.
 */
export class ShellVariables {
  #values = new Map<string, Argument>();
  /** What was assigned since somebody began to take note, and whether it was a number each time. */
  #assigned = new Map<string, boolean>();

  get(name: string): Argument | undefined {
    return this.#values.get(name);
  }

  set(name: string, value: Argument): void {
    const kept = ownVariable.test(name) ? anyWords : value;
    this.#values.set(name, kept);
    this.#assigned.set(name, (this.#assigned.get(name) ?? true) && isNumeric(kept));
  }

  /** After what assigns in ways of its own. */
  forgetAll(): void {
    for (const name of this.#values.keys()) this.#assigned.set(name, false);
    this.#values.clear();
  }

  /** Walks what has a shell of its own: what it assigns does not come back. */
  aside(walk: () => void): void {
    const [values, assigned] = [new Map(this.#values), new Map(this.#assigned)];
    walk();
    [this.#values, this.#assigned] = [values, assigned];
  }

  /** Walks what another program runs: it is told of none of these variables. */
  elsewhere(walk: () => void): void {
    this.aside(() => {
      this.#values = new Map();
      walk();
    });
  }

  /**
   * Walks what may not run at all, or only up to somewhere: of what it assigns it is at most known
   * afterwards that it is a number.
   */
  perhaps<T>(walk: () => T): T {
    const before = this.#values;
    const noted = this.#assigned;
    this.#values = new Map(before);
    this.#assigned = new Map();
    const result = walk();
    this.#values = eitherOf(before, this.#assigned);
    for (const [name, isNumber] of this.#assigned) {
      noted.set(name, (noted.get(name) ?? true) && isNumber);
    }
    this.#assigned = noted;
    return result;
  }

  /**
   * Walks a loop's round until one more would find nothing in a variable that the last did not expect
   * there. False where that does not come to an end.
   */
  everyRound(walk: () => void): boolean {
    for (let round = 0; round < mostRounds; round++) {
      const before = this.#values;
      this.perhaps(walk);
      if (isSame(before, this.#values)) return true;
    }
    return false;
  }
}

function eitherOf(before: Values, assigned: ReadonlyMap<string, boolean>): Map<string, Argument> {
  const values = new Map(before);
  for (const [name, isNumber] of assigned) {
    const old = before.get(name);
    if (!old) continue;
    values.set(name, isNumber && isNumeric(old) ? anyNumber : anyWords);
  }
  return values;
}

function isSame(some: Values, others: Values): boolean {
  return some.size === others.size && [...some].every(([name, it]) => others.get(name) === it);
}
