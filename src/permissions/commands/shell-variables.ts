import { type CompoundList, forEachChild, type SyntaxNode } from "unbash";
import { type Argument, anyNumber, anyWords } from "./argument.ts";

/** Variables that the shell sets by itself, so that nobody knows what they hold. */
const ownVariable =
  /^(_|REPLY|PWD|OLDPWD|MAPFILE|COPROC|RANDOM|SRANDOM|SECONDS|EPOCH.*|LINENO|LINES|COLUMNS|PIPESTATUS|FUNCNAME|DIRSTACK|GROUPS|E?UID|PPID|SHLVL|BASH.*|OPTARG|OPTIND|OPTERR|HIST.*|HOST.*|OSTYPE|MACHTYPE|COMP_.*|COMPREPLY|READLINE_.*)$/;

/** What a line's variables are known to hold while it is walked. Unknown names may hold anything. */
export class ShellVariables {
  #values = new Map<string, Argument>();

  get(name: string): Argument | undefined {
    return this.#values.get(name);
  }

  set(name: string, value: Argument): void {
    this.#values.set(name, ownVariable.test(name) ? anyWords : value);
  }

  /** Walks what has a shell of its own: what it assigns does not come back. */
  aside(walk: () => void): void {
    const before = new Map(this.#values);
    walk();
    this.#values = before;
  }

  /** Walks what another program runs: it is told of none of these variables. */
  elsewhere(walk: () => void): void {
    this.aside(() => {
      this.#values = new Map();
      walk();
    });
  }

  /** Walks what may not run at all: what it assigns is not known afterwards. */
  perhaps<T>(walk: () => T): T {
    const before = new Map(this.#values);
    const result = walk();
    for (const [name, value] of this.#values) {
      if (before.get(name) !== value) this.#values.set(name, anyWords);
    }
    return result;
  }

  /**
   * Walks the round that stands for all rounds of a loop, and says whether it does: a later round
   * must find nothing in a variable that this one did not expect there.
   */
  everyRound(lists: readonly CompoundList[], walk: () => void): boolean {
    this.#forgetAssigned(lists);
    const before = new Map(this.#values);
    walk();
    return [...before].every(
      ([name, value]) => value === anyWords || this.#values.get(name) === value,
    );
  }

  /** Forgets what a loop plainly assigns, among it the names that `read` and its like are given. */
  #forgetAssigned(lists: readonly CompoundList[]): void {
    const forget = (node: SyntaxNode): void => {
      if (node.type === "Assignment") this.set(node.name, anyWords);
      if (node.type === "Word" && this.#values.has(node.value)) this.set(node.value, anyWords);
      this.forgetCalculated(node);
      forEachChild(node, forget);
    };
    for (const list of lists) forget(list);
  }

  /** `x++` and `x = …` in a calculation leave some number. */
  forgetCalculated(node: SyntaxNode): void {
    if (node.type !== "ArithmeticUnary" && node.type !== "ArithmeticBinary") return;
    const target = node.type === "ArithmeticUnary" ? node.operand : node.left;
    if (target.type !== "ArithmeticWord" || !this.#values.has(target.value)) return;
    if (/^(\+\+|--|.*[^=!<>]=|=)$/.test(node.operator)) this.set(target.value, anyNumber);
  }
}
