import { isNativeError } from "node:util/types";
import { createContext, runInContext } from "node:vm";
import { isListOfNames } from "../protocol/hook-configuration.ts";

/** A regular expression may take for ever on a short text. */
const limitMs = 50;
const maxKnown = 1_000;

/** Compares matchers with the names of tools and other things. What it has found out it keeps. */
export class Matcher {
  readonly #limitMs: number;
  readonly #known = new Map<string, boolean>();
  #context: ReturnType<typeof createContext> | undefined;

  constructor(given: { limitMs?: number } = {}) {
    this.#limitMs = given.limitMs ?? limitMs;
  }

  /**
   * True if a matcher is for one of the names. True, too, if its regular expression takes too long: a hook that runs once too often
   * is better than a check that is left out.
   */
  isFor(matcher: string | undefined, names: readonly string[]): boolean {
    if (!matcher || matcher === "*" || names.length === 0) return true;
    if (isListOfNames(matcher)) {
      const listed = matcher.split(/[|,]/).map((name) => name.trim());
      return names.some((name) => listed.includes(name));
    }
    return names.some((name) => this.#isFound(matcher, name));
  }

  #isFound(matcher: string, name: string): boolean {
    const key = JSON.stringify([matcher, name]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = this.#test(matcher, name);
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }

  /** Only a context can be stopped in the middle of a regular expression. */
  #test(matcher: string, name: string): boolean {
    this.#context ??= createContext(Object.create(null));
    const code = `new RegExp(${JSON.stringify(matcher)}).test(${JSON.stringify(name)})`;
    try {
      return runInContext(code, this.#context, { timeout: this.#limitMs }) === true;
    } catch (error) {
      if (isTimeout(error)) return true;
      throw error;
    }
  }
}

/** The error is of the other context, where `Error` is another class. */
function isTimeout(error: unknown): boolean {
  return isNativeError(error) && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
