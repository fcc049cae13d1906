import { outputRoom } from "./output-room.ts";

const maxCounted = 10_000;

/** What a search has found, as much as can be shown; the rest is only counted. */
export class SearchFindings<T> {
  readonly shown: T[] = [];
  readonly #lengthOf: (item: T) => number;
  #characters = 0;
  #left = 0;

  constructor(lengthOf: (item: T) => number) {
    this.#lengthOf = lengthOf;
  }

  /** False when there is no point in finding more. */
  add(item: T): boolean {
    this.#characters += this.#lengthOf(item) + 1;
    if (this.#characters <= outputRoom) this.shown.push(item);
    else this.#left++;
    return this.#left <= maxCounted;
  }

  /** The last line of the output, where something was left out. */
  get rest(): string[] {
    if (this.#left === 0) return [];
    return [`... (${this.#left > maxCounted ? `more than ${maxCounted}` : this.#left} more)`];
  }
}
