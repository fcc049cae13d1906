import {
  type Argument,
  anyWords,
  hasPatternSign,
  heldValue,
  knownValue,
  literal,
  oneOf,
  plainWords,
} from "./argument.ts";
import {
  isLeadingVariable,
  isOpenVariable,
  isPrivateVariable,
  type ShellEnvironment,
} from "./variables.ts";

/** Variables that the shell sets by itself, so that nobody knows what they hold. */
const ownVariable =
  /^(_|REPLY|PWD|OLDPWD|MAPFILE|COPROC|RANDOM|SRANDOM|SECONDS|EPOCH.*|LINENO|LINES|COLUMNS|PIPESTATUS|FUNCNAME|DIRSTACK|GROUPS|E?UID|PPID|SHLVL|BASH.*|OPTARG|OPTIND|OPTERR|IFS|HIST.*|HOST.*|OSTYPE|MACHTYPE|COMP_.*|COMPREPLY|READLINE_.*)$/;

/** Those of them in which there is never a sign of a pattern, unless the line assigns them. */
const plainVariable =
  /^(S?RANDOM|SECONDS|EPOCH(SECONDS|REALTIME)|LINENO|E?UID|PPID|SHLVL|BASHPID|BASH_VERSION|BASH_SUBSHELL|OSTYPE|MACHTYPE|HOSTTYPE)$/;

/** A loop whose variables are not settled after so many rounds is not understood. */
const mostRounds = 8;

type Values = ReadonlyMap<string, Argument>;

/**
 * What a line's variables are known to hold while it is walked: what the line has assigned, or what
 * the shell was started with.
 */
export class ShellVariables {
  readonly #environment: ShellEnvironment;
  /** False when anything may have changed what the shell was started with. */
  #isKept = true;
  #values = new Map<string, Argument>();
  /** What was assigned since somebody began to take note. */
  #assigned = new Map<string, Argument>();
  /** What the line may have assigned, or not. */
  #perhaps = new Set<string>();

  constructor(environment: ShellEnvironment) {
    this.#environment = environment;
  }

  /** Undefined for one that may hold anything. */
  get(name: string): Argument | undefined {
    return (
      this.#values.get(name) ?? (this.#isKept ? inherited(name, this.#environment) : undefined)
    );
  }

  /** True when it may be a secret, since the line itself has not surely assigned it. */
  isPrivate(name: string): boolean {
    const isAssigned = this.#values.has(name) && !this.#perhaps.has(name);
    return !isAssigned && isPrivateVariable(name, this.#environment);
  }

  /** True when assigning it may change what later commands of the line run or reach. */
  isLeading(name: string, value: Argument): boolean {
    return isLeadingVariable(name, knownValue(value), this.#environment);
  }

  set(name: string, value: Argument): void {
    const kept = ownVariable.test(name) ? anyWords : heldValue(value);
    const noted = this.#assigned.get(name);
    this.#values.set(name, kept);
    this.#assigned.set(name, noted ? oneOf([noted, kept]) : kept);
    this.#perhaps.delete(name);
  }

  /** After what assigns in ways of its own. */
  forgetAll(): void {
    for (const name of this.#values.keys()) this.#assigned.set(name, anyWords);
    this.#values.clear();
    this.#isKept = false;
  }

  /** Walks what has a shell of its own: what it assigns does not come back. */
  aside(walk: () => void): void {
    const [values, assigned] = [new Map(this.#values), new Map(this.#assigned)];
    const [isKept, perhaps] = [this.#isKept, new Set(this.#perhaps)];
    walk();
    [this.#values, this.#assigned] = [values, assigned];
    [this.#isKept, this.#perhaps] = [isKept, perhaps];
  }

  /** Walks what another program runs: it gets these variables only if they are exported. */
  elsewhere(walk: () => void): void {
    this.aside(() => {
      this.#values = new Map([...this.#values.keys()].map((name) => [name, anyWords]));
      walk();
    });
  }

  /**
   * Walks what may not run at all, or only up to somewhere: of what it assigns it is at most known
   * afterwards that it is a number, or no pattern.
   */
  perhaps<T>(walk: () => T): T {
    const before = this.#values;
    const noted = this.#assigned;
    this.#values = new Map(before);
    this.#assigned = new Map();
    const result = walk();
    for (const name of this.#assigned.keys()) if (!before.has(name)) this.#perhaps.add(name);
    this.#values = eitherOf(before, this.#assigned);
    for (const [name, value] of this.#assigned) {
      const old = noted.get(name);
      noted.set(name, old ? oneOf([old, value]) : value);
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

function eitherOf(before: Values, assigned: Values): Map<string, Argument> {
  const values = new Map(before);
  for (const [name, value] of assigned) {
    const old = before.get(name);
    values.set(name, old ? oneOf([old, value]) : anyWords);
  }
  return values;
}

/**
 * What a variable holds that the line has not assigned. The value of one that may be a secret is not
 * taken, since it would be shown with the reason of a question.
 */
function inherited(name: string, environment: ShellEnvironment): Argument | undefined {
  // It changes with every `cd`, of which none is followed whose folder looks like a pattern.
  if (name === "PWD") return hasPatternSign(environment.PWD ?? "*") ? undefined : plainWords;
  if (plainVariable.test(name)) return plainWords;
  if (ownVariable.test(name) || !/^[A-Za-z_]\w*$/.test(name)) return undefined;
  const value = environment[name];
  if (value === undefined) return plainWords;
  return isOpenVariable(name) ? literal(value) : undefined;
}

function isSame(some: Values, others: Values): boolean {
  return some.size === others.size && [...some].every(([name, it]) => others.get(name) === it);
}
