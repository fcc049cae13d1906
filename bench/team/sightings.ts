import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";

interface Saying {
  /** The texts that all must be in one request, */
  shownBy: readonly string[];
  /** of this member. */
  to: string;
  saidMs: number;
}

/** How long it takes from something that is said until another member's request shows it. */
export class Sightings {
  readonly gapsMs: number[] = [];
  #open: Saying[] = [];

  /** To be called as the last thing before the reply that says it is sent. */
  say({ shownBy, to }: Pick<Saying, "shownBy" | "to">): void {
    this.#open.push({ shownBy, to, saidMs: performance.now() });
  }

  look({ text, at }: ProviderRequest, member: string): void {
    const isSeen = ({ shownBy, to }: Saying) =>
      to === member && shownBy.every((part) => text.includes(part));
    for (const { saidMs } of this.#open.filter(isSeen)) this.gapsMs.push(at - saidMs);
    this.#open = this.#open.filter((saying) => !isSeen(saying));
  }
}
