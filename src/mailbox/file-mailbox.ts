import type { Signature } from "../keys/signature.ts";
import type { Clock } from "../lib/clock.ts";
import type { FilePath } from "../lib/file-path.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import type { LogHead } from "../lib/log-head.ts";
import type { WakeSource } from "../lib/wake-source.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import { FileMailboxReader } from "./file-mailbox-reader.ts";
import { completeDraft } from "./mail-draft.ts";
import { readRecords } from "./mail-history.ts";
import { type MailLayout, mailLayout } from "./mail-layout.ts";
import { encodeLine } from "./mail-line.ts";
import type { MailWriter } from "./mail-writer.ts";
import {
  type Mailbox,
  type MailboxReader,
  type MailboxReaderOptions,
  type MailRecord,
  secondReader,
} from "./mailbox.ts";

export interface FileMailboxOptions {
  /** The directory that holds the live logs of the whole team. */
  inbox: FilePath;
  owner: MemberName;
  signature: Signature;
  clock: Clock;
  /** Writes to all mailboxes of the team. */
  writer: MailWriter;
  /** Reports when another process has written to a file of `inbox`. */
  watch: WakeSource;
  /** Opens the record of the mailbox's end; undefined if there is none. */
  openHead?: () => Promise<LogHead | undefined>;
  /** Throws when this process may not, or no longer, write what only the lead's process writes. */
  check(): Promise<void>;
  /** Called with a problem of housekeeping, which is tried again. */
  onWarning(message: string): void;
  /** When the live log becomes a segment, and how many bytes of segments are kept as history. */
  limits?: { rotateBytes: number; historyBytes: number };
}

const defaultLimits = { rotateBytes: 1024 * 1024, historyBytes: 64 * 1024 * 1024 };

/**
 * Returns a function that calls `wake` once for all its calls of one moment: reports that come at
 * the same time are read at once, and shown in one request.
 */
function together(wake: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      wake();
    });
  };
}

/** A mailbox as an append-only log: one write(2) a message, by any process, without a lock. */
export class FileMailbox implements Mailbox {
  readonly owner: MemberName;
  readonly #options: FileMailboxOptions;
  readonly #layout: MailLayout;
  #reader: Promise<FileMailboxReader> | undefined;
  #wake: () => void = () => undefined;

  constructor(options: FileMailboxOptions) {
    this.owner = options.owner;
    this.#options = options;
    this.#layout = mailLayout(options.inbox, options.owner);
  }

  async append(draft: MessageDraft): Promise<Message> {
    const { clock, signature, writer } = this.#options;
    const message = completeDraft(draft, this.owner, clock.now());
    writer.write(this.#layout.live, encodeLine(message, signature));
    this.#wake();
    return message;
  }

  records(): AsyncIterable<MailRecord> {
    const { signature } = this.#options;
    return readRecords({ layout: this.#layout, owner: this.owner, signature });
  }

  async openReader(options: MailboxReaderOptions): Promise<MailboxReader> {
    if (this.#reader) throw secondReader(this.owner);
    this.#reader = this.#openReader(options);
    try {
      return await this.#reader;
    } catch (error) {
      this.#reader = undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#reader)?.[Symbol.asyncDispose]();
  }

  async #openReader(options: MailboxReaderOptions): Promise<FileMailboxReader> {
    const { inbox, watch, writer, limits = defaultLimits } = this.#options;
    let stopWatching = () => {};
    await ensurePrivateDirectory(inbox);
    const reader = await FileMailboxReader.open({
      ...this.#options,
      ...options,
      ...limits,
      layout: this.#layout,
      head: await this.#options.openHead?.(),
      onRotate: () => writer.close(this.#layout.live),
      onClose: () => {
        stopWatching();
        this.#wake = () => undefined;
        this.#reader = undefined;
      },
    });
    stopWatching = watch.subscribe(this.#layout.fileName, () => reader.wake());
    this.#wake = together(() => reader.wake());
    return reader;
  }
}
