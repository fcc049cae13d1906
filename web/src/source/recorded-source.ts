import type {
  AwayView,
  CostView,
  EntriesPage,
  EntryView,
  MessagesPage,
  MessageView,
  RecordedRun,
} from "../../../src/protocol/dashboard.ts";
import { textsOf } from "../views/transcript/highlight.ts";
import {
  type Listener,
  type MessagesPageQuery,
  type Source,
  SourceError,
  type TranscriptPageQuery,
} from "./source.ts";

/** The run that this file contains; undefined if it contains none. */
export function recordedSource(): Source | undefined {
  const element = document.getElementById("troupe-run");
  if (!element) return undefined;
  // The page and its data were written into the file together, so the data match the types.
  const run: RecordedRun = JSON.parse(element.textContent);
  return new RecordedSource(run);
}

const usualLimit = 100;
const shownBeginning = 600;

/** A team as it was when it was exported. It never changes, and messages cannot be sent. */
export class RecordedSource implements Source {
  readonly canAct = false;
  readonly #run: RecordedRun;
  readonly #transcripts: ReadonlyMap<string, readonly EntryView[]>;

  constructor(run: RecordedRun) {
    this.#run = run;
    this.#transcripts = new Map(run.transcripts.map(({ member, entries }) => [member, entries]));
  }

  listen(listener: Listener): () => void {
    const { exported_at, left_out, state } = this.#run;
    listener.onConnection({ type: "recorded", exportedAt: exported_at, leftOut: left_out });
    listener.onState(state);
    return () => {};
  }

  watch(): void {}

  async messages({
    before,
    limit = usualLimit,
    ...wish
  }: MessagesPageQuery): Promise<MessagesPage> {
    const to = before === undefined ? this.#run.messages.length : Number(before);
    const found = lastWith(this.#run.messages, { to, limit, isWanted: messageFilter(wish) });
    const messages = found.items.map(begun);
    return { messages, before: found.from > 0 ? String(found.from) : null };
  }

  async message(to: string, id: string): Promise<MessageView> {
    const message = this.#run.messages.find((each) => each.id === id && each.to === to);
    if (message) return message;
    throw refusal("message-unknown", "This message is not in the exported file.");
  }

  async transcript(
    member: string,
    { before, after, limit = usualLimit, search = "" }: TranscriptPageQuery,
  ): Promise<EntriesPage> {
    const entries = this.#transcripts.get(member);
    if (!entries)
      throw refusal("member-unknown", `The exported file has no transcript of '${member}'.`);
    const place = (cursor: string) => entries.findIndex((entry) => entry.cursor === cursor);
    const base = { member, is_restarted: false };
    if (after !== undefined) {
      const from = after === "" ? 0 : place(after) + 1;
      const items = entries.slice(from, from + limit);
      const last = items.at(-1)?.cursor ?? after;
      return { ...base, entries: items, before: cursorAt(entries, from), after: last };
    }
    const to = before === undefined ? entries.length : Math.max(0, place(before));
    const wanted = search.toLowerCase();
    const isWanted = (entry: EntryView) => wanted === "" || says(entry, wanted);
    const found = lastWith(entries, { to, limit, isWanted });
    const last = entries[to - 1]?.cursor ?? "";
    return { ...base, entries: found.items, before: cursorAt(entries, found.from), after: last };
  }

  async cost(): Promise<CostView> {
    return this.#run.cost;
  }

  async away(since: string): Promise<AwayView> {
    const nothing = { results: [], tasks: [], requests: [] };
    return { since, messages: 0, has_more: false, ...nothing, cost_usd: 0 };
  }

  send(): Promise<void> {
    return this.#refuse();
  }

  answer(): Promise<void> {
    return this.#refuse();
  }

  changeRule(): Promise<void> {
    return this.#refuse();
  }

  setMode(): Promise<void> {
    return this.#refuse();
  }

  async landingChanges(): Promise<never> {
    throw refusal("recorded", "The exported file has no contents of changes.");
  }

  async checkouts(): Promise<never> {
    throw refusal("recorded", "The exported file has no list of checkouts.");
  }

  decideLanding(): Promise<void> {
    return this.#refuse();
  }

  bringLanded(): Promise<never> {
    return this.#refuse();
  }

  cleanCheckouts(): Promise<never> {
    return this.#refuse();
  }

  stop(): Promise<void> {
    return this.#refuse();
  }

  async #refuse(): Promise<never> {
    throw refusal("recorded", "This is a recording: nothing in it can be changed.");
  }
}

/** Like the server's, a list has only the beginnings of texts. */
function begun(message: MessageView): MessageView {
  if (message.text.length <= shownBeginning) return message;
  return { ...message, text: message.text.slice(0, shownBeginning), is_cut: true };
}

function refusal(code: string, message: string): SourceError {
  return new SourceError({ code, message, hint: null });
}

interface LastItemsOptions<T> {
  /** Only the items before this position. */
  to: number;
  limit: number;
  isWanted(item: T): boolean;
}

/**
 * The last matching items of `items`, in order, and the position of the first one that was checked.
 */
function lastWith<T>(
  items: readonly T[],
  { to, limit, isWanted }: LastItemsOptions<T>,
): { items: T[]; from: number } {
  const found: T[] = [];
  let from = to;
  while (from > 0 && found.length < limit) {
    from -= 1;
    const item = items[from];
    if (item !== undefined && isWanted(item)) found.push(item);
  }
  return { items: found.reverse(), from };
}

/** The cursor for the items before this position; null if there are none. */
function cursorAt(entries: readonly EntryView[], place: number): string | null {
  return place > 0 ? (entries[place]?.cursor ?? null) : null;
}

function messageFilter({
  member,
  types,
  search,
}: MessagesPageQuery): (view: MessageView) => boolean {
  const wanted = search?.toLowerCase();
  return (view) => {
    if (member !== undefined && view.from !== member && view.to !== member) return false;
    if (types && types.length > 0 && !types.includes(view.type)) return false;
    if (!wanted) return true;
    return [view.text, view.from, view.to].some((text) => text.toLowerCase().includes(wanted));
  };
}

function says(entry: EntryView, wanted: string): boolean {
  return textsOf(entry).some((text) => text.toLowerCase().includes(wanted));
}
