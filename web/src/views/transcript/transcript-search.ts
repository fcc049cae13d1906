import type { EntryView } from "../../../../src/protocol/dashboard.ts";
import { type Source, SourceError } from "../../source/source.ts";
import { Store } from "../../state/store.ts";

/** A search in a transcript with its results so far. */
export interface FoundEntries {
  search: string;
  /** Newest first. */
  entries: readonly EntryView[];
  /** The cursor for older results; null if there are none. */
  before: string | null;
  isLooking: boolean;
  failure: string | null;
  /** The index of the result that is shown in the transcript; null for none. */
  current: number | null;
}

const pageSize = 50;

/** Searches one member's transcript. Late answers to an earlier search are dropped. */
export class TranscriptSearch {
  /** Null without a search. */
  readonly findings = new Store<FoundEntries | null>(null);
  readonly #source: Source;
  readonly #member: string;
  #questions = 0;

  constructor(source: Source, member: string) {
    this.#source = source;
    this.#member = member;
  }

  async look(search: string): Promise<void> {
    this.#questions++;
    const nothing = { entries: [], before: null, failure: null, current: null };
    this.findings.set(search === "" ? null : { ...nothing, search, isLooking: true });
    if (search !== "") await this.#ask();
  }

  async lookFurther(): Promise<void> {
    const known = this.findings.value;
    if (!known || known.before === null || known.isLooking) return;
    this.findings.set({ ...known, isLooking: true });
    await this.#ask();
  }

  /**
   * Goes to the next result, the previous one, or the one with this index. After the last known
   * result, older entries are searched before it starts again with the first.
   */
  async go(to: "next" | "previous" | number): Promise<EntryView | null> {
    const question = this.#questions;
    if (to === "next" && isAtLast(this.findings.value)) {
      if (this.findings.value?.isLooking) return null;
      await this.lookFurther();
    }
    const known = this.findings.value;
    if (!known || known.entries.length === 0 || question !== this.#questions) return null;
    const current = wanted(to, known);
    this.findings.set({ ...known, current });
    return known.entries[current] ?? null;
  }

  async #ask(): Promise<void> {
    const question = this.#questions;
    const { search, before } = this.findings.value ?? { search: "", before: null };
    const answer = await this.#answer(search, before);
    const known = this.findings.value;
    if (known && question === this.#questions) {
      const entries = [...known.entries, ...answer.entries.toReversed()];
      this.findings.set({ ...known, ...answer, entries, isLooking: false });
    }
  }

  async #answer(search: string, before: string | null) {
    const wish = { search, limit: pageSize, ...(before !== null && { before }) };
    try {
      const page = await this.#source.transcript(this.#member, wish);
      return { entries: page.entries, before: page.before, failure: null };
    } catch (error) {
      const failure = error instanceof SourceError ? error.message : String(error);
      return { entries: [], before, failure };
    }
  }
}

function isAtLast(findings: FoundEntries | null): boolean {
  return findings !== null && findings.current === findings.entries.length - 1;
}

function wanted(to: "next" | "previous" | number, { current, entries }: FoundEntries): number {
  if (typeof to === "number") return to;
  if (current === null) return to === "next" ? 0 : entries.length - 1;
  const step = to === "next" ? 1 : entries.length - 1;
  return (current + step) % entries.length;
}
