import { user } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";

/** The open questions to the person, oldest first, one of which is current. */
export class QuestionQueue {
  #open: readonly TeamRequest[] = [];
  readonly #answered = new Set<string>();
  readonly #known = new Set<string>();
  #upId: string | undefined;

  /** Takes over the open requests of the store, and returns the new ones and those that are gone. */
  update(open: readonly TeamRequest[]): { fresh: TeamRequest[]; gone: TeamRequest[] } {
    const before = this.#open;
    this.#keep(open.filter(({ id, to }) => to === user && !this.#answered.has(id)));
    const fresh = this.#open.filter(({ id }) => !this.#known.has(id));
    for (const { id } of fresh) this.#known.add(id);
    return { fresh, gone: before.filter(({ id }) => !this.isOpen(id)) };
  }

  /** All open questions. */
  get open(): readonly TeamRequest[] {
    return this.#open;
  }

  /** The current question. It stays current as long as it is open. */
  get up(): TeamRequest | undefined {
    return this.#open[this.#place];
  }

  /** The number of the current question, from 1. */
  get number(): number {
    return this.#place + 1;
  }

  get count(): number {
    return this.#open.length;
  }

  isOpen(id: string): boolean {
    return this.#open.some((request) => request.id === id);
  }

  /** Makes the next question current, after the last the first. */
  turn(): void {
    this.#upId = this.#open[(this.#place + 1) % this.#open.length]?.id;
  }

  /** Removes an answered question at once, before the store reports it. */
  settle(id: string): void {
    this.#answered.add(id);
    this.#keep(this.#open.filter((request) => request.id !== id));
  }

  #keep(open: readonly TeamRequest[]): void {
    const place = this.#place;
    this.#open = open;
    if (this.#upId !== undefined && this.isOpen(this.#upId)) return;
    this.#upId = (open[place] ?? open[0])?.id;
  }

  get #place(): number {
    const place = this.#open.findIndex(({ id }) => id === this.#upId);
    return Math.max(0, place);
  }
}
