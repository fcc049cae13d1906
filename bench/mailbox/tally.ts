import { sum } from "../lib/statistics.ts";
import { contentOf, labelOf } from "./content.ts";
import type { TallyAnswer } from "./contract.ts";
import type { Taken } from "./designs/design.ts";

/** The results for the messages of one round. */
export class Tally {
  readonly #round: number;
  readonly #seen = new Map<string, number>();
  #torn = 0;
  #lastNs = 0;

  constructor(round: number) {
    this.#round = round;
  }

  add({ contents, torn }: Taken, atNs: number): void {
    this.#lastNs = atNs;
    this.#torn += torn;
    for (const content of contents) {
      const label = labelOf(content);
      this.#seen.set(label, (this.#seen.get(label) ?? 0) + 1);
    }
  }

  /** For `count` messages from each of `senders`. */
  result({ senders, count }: { senders: readonly string[]; count: number }): TallyAnswer {
    const sent = senders.flatMap((sender) => {
      return Array.from({ length: count }, (_, number) => {
        return labelOf(contentOf(this.#round, sender, number));
      });
    });
    const arrived = sent.filter((label) => this.#seen.has(label)).length;
    return {
      lost: sent.length - arrived,
      torn: this.#torn,
      // A message of an earlier round has been counted there.
      twice: sum([...this.#seen.values()]) - arrived,
      lastNs: this.#lastNs,
    };
  }
}
