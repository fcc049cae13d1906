import type { EntryView, MessageView, RecordedRun } from "../../protocol/dashboard.ts";
import type { Room } from "../room/room.ts";
import type { SecretMask } from "./mask-secrets.ts";
import { jsonInDocument, type RecordedPage } from "./recorded-page.ts";

export type RunSource = Pick<Room, "state" | "messages" | "message" | "transcript" | "cost">;

export interface ExportOptions {
  source: RunSource;
  page: RecordedPage;
  mask: SecretMask;
  /** How many entries of each member, and how many messages, are taken: the newest. */
  most: { entries: number; messages: number };
  now: Date;
}

/** What the file contains, and what it does not. */
export interface ExportSummary {
  /** How many members the file shows, the lead included. */
  members: number;
  /** How many messages the file has. */
  messages: number;
  /** How many entries of transcripts the file has. */
  entries: number;
  /** How many secrets were replaced by placeholders. */
  masked: number;
  /** What is not in the file, each in a sentence for the person. */
  leftOut: readonly string[];
}

/** How many messages are looked up in full: each lookup reads a whole mailbox. */
const mostLookedUp = 500;

/**
 * A team as one document, piece by piece, so that a large one need not fit into memory; it returns
 * what was exported. Pieces may have line breaks between them.
 */
export class RunExport {
  readonly #options: ExportOptions;
  readonly #leftOut: string[] = [];
  /** The full text of messages that were cut, by id. */
  readonly #whole = new Map<string, MessageView>();
  #entries = 0;

  constructor(options: ExportOptions) {
    this.#options = options;
  }

  async *pieces(): AsyncGenerator<string, ExportSummary> {
    const { source, page, mask, now } = this.#options;
    const state = await source.state();
    yield `${page.before}{"exported_at":${JSON.stringify(now.toISOString())}`;
    yield this.#member("state", { ...state, running: null });
    yield ',"transcripts":[';
    let separator = "";
    for (const { name } of state.members) {
      const entries = await this.#transcript(name);
      yield `${separator}{"member":${jsonInDocument(mask.text(name))},"entries":[`;
      yield* this.#items(entries);
      yield "]}";
      separator = ",";
    }
    yield '],"messages":[';
    const messages = await this.#messages();
    yield* this.#items(messages);
    yield "]";
    yield this.#member("cost", await source.cost());
    yield this.#member("left_out", this.#leftOut);
    yield `,"masked":${mask.count}}${page.after}`;
    return {
      members: state.members.length,
      messages: messages.length,
      entries: this.#entries,
      masked: mask.count,
      leftOut: this.#leftOut,
    };
  }

  #member(name: keyof RecordedRun, value: unknown): string {
    return `,"${name}":${jsonInDocument(this.#options.mask.json(value))}`;
  }

  *#items(items: readonly unknown[]): Generator<string> {
    for (let at = 0; at < items.length; at += pageSize) {
      const some = items.slice(at, at + pageSize).map((item) => this.#options.mask.json(item));
      yield `${at > 0 ? "," : ""}${jsonInDocument(some).slice(1, -1)}`;
    }
  }

  async #transcript(member: string): Promise<EntryView[]> {
    const { source, most } = this.#options;
    const { items, hasOlder } = await newestOf(most.entries, async (query) => {
      const page = await source.transcript(member, query);
      // Another transcript has replaced it meanwhile; these would be its newest entries.
      if (page.is_restarted) return { items: [], before: null };
      return { items: page.entries, before: page.before };
    });
    if (hasOlder) {
      this.#leftOut.push(`Of ${member}'s transcript all but the newest ${most.entries} entries.`);
    }
    for (const entry of items) {
      if (entry.type === "mail") this.#whole.set(entry.message.id, entry.message);
    }
    this.#entries += items.length;
    return items;
  }

  async #messages(): Promise<MessageView[]> {
    const { source, most } = this.#options;
    const { items, hasOlder } = await newestOf(most.messages, async (query) => {
      const page = await source.messages(query);
      return { items: page.messages, before: page.before };
    });
    if (hasOlder) this.#leftOut.push(`All but the newest ${most.messages} messages.`);
    return this.#wholeOnes(items);
  }

  async #wholeOnes(messages: readonly MessageView[]): Promise<MessageView[]> {
    const { source } = this.#options;
    const whole: MessageView[] = [];
    let lookedUp = 0;
    let cut = 0;
    for (const message of messages.toReversed()) {
      const delivered = this.#whole.get(message.id);
      if (!message.is_cut) whole.push(message);
      else if (delivered)
        whole.push({ ...message, text: delivered.text, is_cut: delivered.is_cut });
      else if (lookedUp++ < mostLookedUp) whole.push(await source.message(message.to, message.id));
      else whole.push(message);
      if (whole.at(-1)?.is_cut) cut += 1;
    }
    if (cut > 0) this.#leftOut.push(`The ends of ${cut} long messages.`);
    return whole.reverse();
  }
}

/** How much is read at once. */
const pageSize = 500;

/**
 * `items` are oldest first; `before` is the cursor for the items before these, null if there are
 * none.
 */
type FetchPage<T> = (query: {
  limit: number;
  before?: string;
}) => Promise<{ items: readonly T[]; before: string | null }>;

/** The newest `most` items, oldest first, page by page from the end. */
async function newestOf<T>(most: number, fetchPage: FetchPage<T>) {
  const pages: (readonly T[])[] = [];
  let count = 0;
  let before: string | null | undefined;
  while (before !== null && count < most) {
    const page = await fetchPage({ limit: pageSize, ...(before !== undefined && { before }) });
    pages.push(page.items);
    count += page.items.length;
    before = page.before;
  }
  const items = pages.reverse().flat();
  return {
    items: items.slice(Math.max(0, count - most)),
    hasOlder: before !== null || count > most,
  };
}
