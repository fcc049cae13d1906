import type { EntriesPage, EntryView } from "../../../../src/protocol/dashboard.ts";
import { type Source, SourceError, type TranscriptPageQuery } from "../../source/source.ts";
import type { WatchedText } from "../../state/page.ts";
import { Store } from "../../state/store.ts";
import { type FetchedTexts, heard, type LiveTexts, noLiveTexts, settled } from "./live-text.ts";
import {
  isFull,
  type LoadedEntries,
  loadedAround,
  newestLoaded,
  withNewer,
  withOlder,
} from "./loaded.ts";

const pageSize = 100;
/** If a transcript has grown by more than this, it is shown from its new end. */
const mostAtOnce = 500;

/**
 * Loads one member's transcript page by page. At most one request runs at a time, so that pages fit
 * together. An error is in `failure`; the request is repeated at the next call.
 */
export class TranscriptLoader {
  /** Null before the first answer. */
  readonly loaded = new Store<LoadedEntries | null>(null);
  readonly live = new Store<LiveTexts>(noLiveTexts);
  readonly failure = new Store<string | null>(null);
  /** Whether there are new entries below that the person has not seen. */
  readonly hasNew = new Store(false);

  readonly #source: Source;
  readonly #member: string;
  /** Whether the person is at the end and wants to stay there. */
  readonly #isAtEnd: () => boolean;
  #queue: Promise<void> = Promise.resolve();
  readonly #waiting = new Set<string>();
  #fetches = 0;
  readonly #brought: FetchedTexts[] = [];
  #isClosed = false;

  constructor(options: { source: Source; member: string; isAtEnd: () => boolean }) {
    this.#source = options.source;
    this.#member = options.member;
    this.#isAtEnd = options.isAtEnd;
  }

  /** Shows only the newest entries. */
  showNewest(): Promise<void> {
    return this.#inTurn("newest", () => this.#loadNewest());
  }

  /** Loads new entries. */
  follow(): Promise<void> {
    return this.#inTurn("follow", async () => {
      const loaded = this.loaded.value;
      if (!loaded) return this.#loadNewest();
      if (loaded.hasNewest) await this.#append(loaded);
      else this.hasNew.set(true);
    });
  }

  showOlder(): Promise<void> {
    return this.#inTurn("older", async () => {
      const loaded = this.loaded.value;
      if (!loaded || loaded.before === null) return;
      const page = await this.#fetch({ before: loaded.before, limit: pageSize });
      this.#show(page.is_restarted ? newestLoaded(page) : withOlder(loaded, page));
    });
  }

  /** Loads the entries after a part from the middle. */
  showNewer(): Promise<void> {
    return this.#inTurn("newer", async () => {
      const loaded = this.loaded.value;
      if (!loaded || loaded.hasNewest) return;
      const page = await this.#fetch({ after: loaded.after, limit: pageSize });
      if (page.is_restarted) return this.#show(newestLoaded(page));
      this.#show(withNewer(loaded, page, isLast(page, pageSize)));
      // A page of very large entries can be short without being the last.
      if (isLast(page, pageSize)) void this.follow();
    });
  }

  /** Loads `entry` if it is not loaded. */
  showEntry(entry: EntryView): Promise<void> {
    const { cursor } = entry;
    return this.#inTurn(`entry ${cursor}`, async () => {
      if (this.loaded.value?.entries.some((known) => known.cursor === cursor)) return;
      const older = await this.#fetch({ before: cursor, limit: pageSize / 2 });
      const newer = await this.#fetch({ after: cursor, limit: pageSize / 2 });
      if (newer.is_restarted) return this.#show(newestLoaded(newer));
      const hasNewest = isLast(newer, pageSize / 2);
      this.#show(loadedAround(entry, { older, newer, hasNewest }));
    });
  }

  /** The member's live text. */
  hear(live: WatchedText): void {
    if (live.member !== this.#member) return;
    this.live.set(heard(this.live.value, live, this.#fetches));
  }

  /** Stops all updates. */
  close(): void {
    this.#isClosed = true;
  }

  async #loadNewest(): Promise<void> {
    this.#show(newestLoaded(await this.#fetch({ limit: pageSize })));
    this.hasNew.set(false);
  }

  async #append(loaded: LoadedEntries): Promise<void> {
    const page = await this.#fetch({ after: loaded.after, limit: mostAtOnce });
    if (page.is_restarted) {
      this.hasNew.set(false);
      return this.#show(newestLoaded(page));
    }
    if (page.entries.length === 0) return;
    if (!this.#isAtEnd()) {
      this.hasNew.set(true);
      // The entries that the person is reading must not be dropped.
      if (isFull(loaded, page.entries.length) || !isLast(page, mostAtOnce)) {
        return this.#show({ ...loaded, hasNewest: false });
      }
    }
    if (!isLast(page, mostAtOnce)) return this.#loadNewest();
    this.#show(withNewer(loaded, page, true));
  }

  async #fetch(wish: TranscriptPageQuery): Promise<EntriesPage> {
    const fetch = ++this.#fetches;
    const page = await this.#source.transcript(this.#member, wish);
    if (wish.before === undefined) this.#brought.push({ fetch, entries: page.entries });
    return page;
  }

  /** Drops live texts once their entries are shown. */
  #settle(): void {
    const brought = this.#brought.splice(0);
    this.live.set(brought.reduce(settled, this.live.value));
  }

  #show(loaded: LoadedEntries): void {
    if (!this.#isClosed) this.loaded.set(loaded);
  }

  /** Runs `work` after all earlier requests, only once even if it was requested several times. */
  #inTurn(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#waiting.has(name)) return this.#queue;
    this.#waiting.add(name);
    this.#queue = this.#queue.then(async () => {
      this.#waiting.delete(name);
      if (this.#isClosed) return;
      try {
        await work();
        this.#settle();
        this.failure.set(null);
      } catch (error) {
        this.failure.set(failureText(error));
      }
    });
    return this.#queue;
  }
}

function failureText(error: unknown): string {
  if (!(error instanceof SourceError)) return String(error);
  return error.hint ? `${error.message} ${error.hint}` : error.message;
}

/** Whether this is the last page. */
function isLast({ entries }: EntriesPage, asked: number): boolean {
  return entries.length < asked;
}
