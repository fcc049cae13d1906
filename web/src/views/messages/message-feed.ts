import type { MessagesPage, MessageView } from "../../../../src/protocol/dashboard.ts";
import { type Source, SourceError } from "../../source/source.ts";
import { Store } from "../../state/store.ts";
import { type Filter, match, wishOf } from "./filter.ts";
import { borrowedTimes, isJoined, mergedInto, timeAfter } from "./merging.ts";

export interface LoadedMessages {
  /** In the order of sending, without a gap. */
  messages: readonly MessageView[];
  /** True if there may be older ones. */
  hasOlder: boolean;
  loading: "newest" | "older" | null;
  /** Why a request failed. */
  problem: string | null;
}

const pageSize = 200;
const nothing: LoadedMessages = { messages: [], hasOlder: false, loading: null, problem: null };

/**
 * The messages that match one filter: the newest as they arrive, and older ones on request. The
 * messages that the page already has are shown at once; the others are fetched from the source.
 */
export class MessageFeed {
  readonly state = new Store<LoadedMessages>(nothing);
  readonly #source: Source;
  readonly #filter: Filter;
  /** The times of messages without one. The first value is kept. */
  readonly #places = new Map<string, string>();
  /** The lines set aside that the page had at first: only the source knows their position. */
  #unplaced: ReadonlySet<string> | undefined;
  /** The newest messages, without a filter. */
  #taken: readonly MessageView[] = [];
  /**
   * The cursor for the page before the oldest message; undefined until the first page has arrived.
   */
  #before: string | null | undefined;
  #work: Promise<void> = Promise.resolve();
  /** The number of the current list; answers for an earlier one are dropped. */
  #list = 0;
  /** True if the newest page must be fetched once more. */
  #isStale = false;
  #isClosed = false;

  constructor(source: Source, filter: Filter) {
    this.#source = source;
    this.#filter = filter;
  }

  /** Applies changes of the newest messages. */
  take(newest: readonly MessageView[]): void {
    const taken = this.#taken;
    if (newest === taken) return;
    this.#taken = newest;
    const isApart = taken.length > 0 && newest.length > 0 && !isJoined(taken, newest);
    // If the new messages do not overlap with the known ones, others may be missing between them.
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

  /** Fetches the newest page: at first, and when messages may have been missed. */
  refresh(): void {
    if (this.state.value.loading !== null) {
      this.#isStale = true;
      return;
    }
    this.#ask("newest", undefined);
  }

  /** Fetches the page before the oldest message, if there is one. */
  older(): void {
    if (this.#before && this.state.value.loading === null) this.#ask("older", this.#before);
  }

  /** Resolves when all requests have been answered. */
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
