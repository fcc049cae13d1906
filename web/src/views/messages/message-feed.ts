import type { MessagesPage, MessageView } from "../../../../src/protocol/dashboard.ts";
import { type Source, SourceError } from "../../source/source.ts";
import { Store } from "../../state/store.ts";
import { type Filter, match, wishOf } from "./filter.ts";
import { borrowedTimes, isJoined, mergedInto, timeAfter } from "./merging.ts";

export interface LoadedMessages {
  /** In the order of sending, without a gap. */
  messages: readonly MessageView[];
  /** True when there may be older ones. */
  hasOlder: boolean;
  loading: "newest" | "older" | null;
  /** Why something could not be had. */
  problem: string | null;
}

const pageSize = 200;
const nothing: LoadedMessages = { messages: [], hasOlder: false, loading: null, problem: null };

/**
 * The messages that pass one filter: the newest as they come, and older ones as they are asked for.
 * What the room knows is there at once; the source fills in what it does not.
 */
export class MessageFeed {
  readonly state = new Store<LoadedMessages>(nothing);
  readonly #source: Source;
  readonly #filter: Filter;
  /** When what has no time of its own took place. The first answer stays. */
  readonly #places = new Map<string, string>();
  /** What the room knew to be set aside at first: only the source can tell where it belongs. */
  #unplaced: ReadonlySet<string> | undefined;
  /** The room's newest messages, with any filter. */
  #taken: readonly MessageView[] = [];
  /** For the page before the oldest that is known; undefined until the first page has come. */
  #before: string | null | undefined;
  #work: Promise<void> = Promise.resolve();
  /** Counts the lists asked for; an answer for an earlier one is dropped. */
  #list = 0;
  /** True when the newest page must be asked for once more. */
  #isStale = false;
  #isClosed = false;

  constructor(source: Source, filter: Filter) {
    this.#source = source;
    this.#filter = filter;
  }

  /** Takes over what has changed among the newest messages. */
  take(newest: readonly MessageView[]): void {
    const taken = this.#taken;
    if (newest === taken) return;
    this.#taken = newest;
    const isApart = taken.length > 0 && newest.length > 0 && !isJoined(taken, newest);
    // Between what was known and what does not reach it there may be others.
    if (isApart) this.#forget();
    this.#unplaced ??= new Set(
      newest.filter(({ sent_at }) => sent_at === null).map(({ id }) => id),
    );
    const known = new Set(isApart ? [] : taken);
    const changed = newest.filter((message) => !known.has(message));
    const verdicts = changed.map((message) => match(this.#filter, message));
    this.#merge(changed.filter((message, at) => verdicts[at] === "yes" && this.#isPlaced(message)));
    if (isApart || (taken.length > 0 && verdicts.includes("unknown"))) this.refresh();
  }

  /** Asks for the newest page: at first, and when something may have been missed. */
  refresh(): void {
    if (this.state.value.loading !== null) {
      this.#isStale = true;
      return;
    }
    this.#ask("newest", undefined);
  }

  /** Asks for the page before the oldest that is known, if there is one. */
  older(): void {
    if (this.#before && this.state.value.loading === null) this.#ask("older", this.#before);
  }

  /** Resolves when everything that was asked for has come. */
  async settled(): Promise<void> {
    let work: Promise<void> | undefined;
    while (work !== this.#work) {
      work = this.#work;
      await work;
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  #ask(loading: "newest" | "older", before: string | undefined): void {
    const list = this.#list;
    this.#set({ loading, problem: null });
    this.#work = this.#source
      .messages({ ...wishOf(this.#filter), ...(before && { before }), limit: pageSize })
      .then((page) => {
        if (list === this.#list) this.#takePage(page, loading);
      })
      .catch((error: unknown) => this.#set({ problem: problemText(error) }))
      .then(() => this.#rest());
  }

  #takePage(page: MessagesPage, loading: "newest" | "older"): void {
    if (loading === "older" || this.#before === undefined) this.#before = page.before;
    for (const [id, time] of borrowedTimes(page.messages)) {
      if (!this.#places.has(id)) this.#places.set(id, time);
    }
    this.#merge(page.messages);
  }

  #rest(): void {
    this.#set({ loading: null, hasOlder: Boolean(this.#before) });
    if (!this.#isStale || this.#isClosed) return;
    this.#isStale = false;
    this.refresh();
  }

  #merge(more: readonly MessageView[]): void {
    if (more.length === 0) return;
    const { messages } = this.state.value;
    const latest = messages.findLast(({ sent_at }) => sent_at !== null)?.sent_at ?? "";
    for (const { id, sent_at } of more) {
      if (sent_at === null && !this.#places.has(id)) this.#places.set(id, timeAfter(latest));
    }
    const timeOf = ({ id, sent_at }: MessageView) => sent_at ?? this.#places.get(id) ?? "";
    this.#set({ messages: mergedInto(messages, more, timeOf) });
  }

  #isPlaced({ id, sent_at }: MessageView): boolean {
    return sent_at !== null || this.#places.has(id) || !this.#unplaced?.has(id);
  }

  #forget(): void {
    this.#list += 1;
    this.#before = undefined;
    this.#unplaced = undefined;
    this.#places.clear();
    this.#set({ messages: [], hasOlder: false });
  }

  #set(changes: Partial<LoadedMessages>): void {
    if (!this.#isClosed) this.state.set({ ...this.state.value, ...changes });
  }
}

function problemText(error: unknown): string {
  if (error instanceof SourceError) return [error.message, error.hint].filter(Boolean).join(" ");
  return error instanceof Error ? error.message : String(error);
}
