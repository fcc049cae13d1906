import type { Signature } from "../keys/signature.ts";
import type { Clock } from "../lib/clock.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import type { WakeSource } from "../lib/wake-source.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import { FileMailboxReader } from "./file-mailbox-reader.ts";
import { completeDraft } from "./mail-draft.ts";
import { readRecords } from "./mail-history.ts";
import { type MailLayout, mailLayout } from "./mail-layout.ts";
import { encodeLine } from "./mail-line.ts";
import { MailWriter } from "./mail-writer.ts";
import type { Mailbox, MailboxReader, MailRecord, ReaderOptions } from "./mailbox.ts";

export interface FileMailboxOptions {
  /** The directory that holds the live logs of the whole team. */
  inbox: string;
  owner: MemberName;
  signature: Signature;
  clock: Clock;
  /** Says when another process has written to a file of `inbox`. */
  watch: WakeSource;
  /** Throws when this process may not, or no longer, write what only the lead's process writes. */
  check(): Promise<void>;
  /** When the live log becomes a segment, and how many bytes of segments are kept as history. */
  limits?: { rotateBytes: number; historyBytes: number };
}

const defaultLimits = { rotateBytes: 1024 * 1024, historyBytes: 64 * 1024 * 1024 };

/** A mailbox as an append-only log: one write(2) a message, by any process, without a lock. */
export class FileMailbox implements Mailbox {
  readonly owner: MemberName;
  readonly #options: FileMailboxOptions;
  readonly #layout: MailLayout;
  readonly #writer: MailWriter;
  #reader: FileMailboxReader | undefined;
  #stopWatching: () => void = () => undefined;

  constructor(options: FileMailboxOptions) {
    this.owner = options.owner;
    this.#options = options;
    this.#layout = mailLayout(options.inbox, options.owner);
    this.#writer = new MailWriter(this.#layout.live);
  }

  async append(draft: MessageDraft): Promise<Message> {
    const message = completeDraft(draft, this.owner, this.#options.clock.now());
    this.#writer.write(encodeLine(message, this.#options.signature));
    this.#reader?.wake();
    return message;
  }

  records(): AsyncIterable<MailRecord> {
    const { signature } = this.#options;
    return readRecords({ layout: this.#layout, owner: this.owner, signature });
  }

  async openReader(options: ReaderOptions): Promise<MailboxReader> {
    if (this.#reader) throw new Error(`'${this.owner}' has a reader already`);
    const { inbox, signature, clock, check, watch, limits = defaultLimits } = this.#options;
    await ensurePrivateDirectory(inbox);
    const reader = await FileMailboxReader.open({
      ...options,
      ...limits,
      layout: this.#layout,
      owner: this.owner,
      signature,
      clock,
      check,
    });
    this.#reader = reader;
    this.#stopWatching = watch.subscribe(this.#layout.fileName, () => reader.wake());
    return reader;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopWatching();
    this.#writer[Symbol.dispose]();
    await this.#reader?.[Symbol.asyncDispose]();
    this.#reader = undefined;
  }
}
