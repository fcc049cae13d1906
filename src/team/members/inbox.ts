import type { MailboxReader, MailDelivery } from "../../mailbox/mailbox.ts";
import type { MessageId } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";

export interface InboxOptions {
  /** Reports mail that was not seen before. Called with all unread mail before anybody is given it. */
  reportMail(unread: readonly Message[]): Promise<void>;
  /** Carries out the orders among mail. Called before anybody is given the mail. */
  carryOut(mail: readonly Message[]): Promise<void>;
  /** True once the process is about to end. */
  isLeaving(): boolean;
}

/** The mailbox of a member that runs here: nobody is given mail before its orders are carried out. */
export class Inbox implements Pick<MailboxReader, "unread" | "acknowledge" | "onWake"> {
  readonly #reader: MailboxReader;
  readonly #options: InboxOptions;
  #lookedAt: MessageId | undefined;

  constructor(reader: MailboxReader, options: InboxOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  /** The newest mail that was looked at. */
  get lookedAt(): MessageId | undefined {
    return this.#lookedAt;
  }

  async unread(): Promise<readonly MailDelivery[]> {
    const unread = await this.#reader.unread();
    const mail = unread.map(({ message }) => message);
    await this.#options.reportMail(mail);
    this.#lookedAt = unread.at(-1)?.message.id ?? this.#lookedAt;
    // A process that leaves takes in no more mail: an order among it is for the next process.
    if (this.#options.isLeaving()) return [];
    await this.#options.carryOut(mail);
    return unread;
  }

  acknowledge(upTo: MessageId): Promise<void> {
    return this.#reader.acknowledge(upTo);
  }

  onWake(listener: () => void): () => void {
    return this.#reader.onWake(listener);
  }
}
