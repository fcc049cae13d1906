import type { MailTaking } from "../../agent/input.ts";
import { Serial } from "../../lib/serial.ts";
import type { MailboxReader, MailDelivery } from "../../mailbox/mailbox.ts";
import { type MemberName, type MessageId, user } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import { isWithdrawable } from "../../protocol/message-types.ts";
import type { ReceivedMail } from "../../protocol/transcript.ts";

export interface InboxOptions {
  /** Reports mail that was not seen before. Called with all unread mail before anybody is given it. */
  reportMail(unread: readonly Message[]): Promise<void>;
  /** Carries out the orders among mail. Called before anybody is given the mail. */
  carryOut(mail: readonly Message[]): Promise<void>;
  /** True once the process is about to end. */
  isLeaving(): boolean;
  /** Whether hooks refuse a prompt of the person, who is told why. Called before anybody is given the mail (default: they do not). */
  review?: ((mail: Message) => Promise<boolean>) | undefined;
  /** Called when a message was withdrawn because it was refused. */
  onRefused?: ((id: MessageId) => void) | undefined;
}

/** The mailbox of a member that runs here: nobody is given mail before its orders are carried out. */
export class Inbox implements MailTaking {
  readonly #reader: MailboxReader;
  readonly #options: InboxOptions;
  /** A message gets into the transcript, or is withdrawn, one at a time: never both. */
  readonly #fates = new Serial();
  readonly #withdrawn = new Set<MessageId>();
  /** The mail that the result of a call shows, which is not in the transcript yet. */
  readonly #held = new Set<MessageId>();
  /** The prompts of the person that were, or are being, shown to hooks. */
  readonly #reviews = new Map<MessageId, Promise<boolean>>();
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
    await this.#review(mail);
    return this.#without(unread);
  }

  /** Each message once, however many ask for the mail meanwhile. */
  async #review(mail: readonly Message[]): Promise<void> {
    const { review, onRefused } = this.#options;
    if (!review) return;
    for (const message of mail.filter(isPrompt)) {
      const { id, from } = message;
      const known = this.#reviews.get(id);
      const isRefused = known ?? review(message);
      this.#reviews.set(id, isRefused);
      if ((await isRefused) && known === undefined && (await this.withdraw(id, from))) {
        onRefused?.(id);
      }
    }
  }

  hold<Mail extends ReceivedMail>(mail: readonly Mail[]): Promise<readonly Mail[]> {
    return this.#fates.run(async () => {
      const left = this.#without(mail);
      for (const { message } of left) this.#held.add(message.id);
      return left;
    });
  }

  takeIn<Mail extends ReceivedMail>(
    mail: readonly Mail[],
    record: (mail: readonly Mail[]) => Promise<void>,
  ): Promise<readonly Mail[]> {
    if (mail.length === 0) return record(mail).then(() => mail);
    return this.#fates.run(async () => {
      const left = this.#without(mail);
      await record(left);
      for (const { message } of left) this.#held.delete(message.id);
      const last = left.at(-1);
      if (last) await this.#reader.acknowledge(last.message.id);
      return left;
    });
  }

  /** Takes back a message of `sender` that is not in the transcript. Resolves to false where it is too late. */
  withdraw(id: MessageId, sender: MemberName): Promise<boolean> {
    return this.#fates.run(async () => {
      const unread = await this.#reader.unread();
      const { message } = unread.find((delivery) => delivery.message.id === id) ?? {};
      if (!message || message.from !== sender || !isWithdrawable(message)) return false;
      if (this.#held.has(id) || !(await this.#reader.withdraw(id))) return false;
      this.#withdrawn.add(id);
      return true;
    });
  }

  onWake(listener: () => void): () => void {
    return this.#reader.onWake(listener);
  }

  #without<Mail extends MailDelivery>(mail: readonly Mail[]): readonly Mail[] {
    return mail.filter(({ message }) => !this.#withdrawn.has(message.id));
  }
}

function isPrompt({ type, from }: Message): boolean {
  return type === "message" && from === user;
}
