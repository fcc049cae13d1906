import type { MessageId } from "../protocol/ids.ts";
import { type MailMark, ownMark } from "./mail-scanner.ts";
import type { MailSource } from "./mail-source.ts";
import type { MailDelivery } from "./mailbox.ts";

/** The most messages, and the most bytes of them, that are held in memory unread. */
const maxMessages = 4096;
const maxBytes = 4 * 1024 * 1024;

/** A line that is not yet acknowledged. One without a delivery only waits for those before it. */
interface Queued {
  source: MailSource;
  mark: MailMark;
  delivery: MailDelivery | undefined;
  bytes: number;
}

/** How many lines are settled, and the new end in each log. */
export interface MailSettlement {
  count: number;
  marks: ReadonlyMap<MailSource, MailMark>;
}

/** The lines that a reader has in memory, in the order in which they were read. */
export class MailQueue {
  #items: Queued[] = [];
  #messages = 0;
  #bytes = 0;

  get isFull(): boolean {
    return this.#messages >= maxMessages || this.#bytes >= maxBytes;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  deliveries(): MailDelivery[] {
    return this.#items.flatMap(({ delivery }) => delivery ?? []);
  }

  push(item: Queued): void {
    this.#items.push(item);
    this.#messages++;
    this.#bytes += item.bytes;
  }

  /** Records that everything of `source` up to `mark` is in memory, or needs no place there. */
  pass(source: MailSource, mark: MailMark): void {
    source.scanned = mark;
    const last = this.#items.at(-1);
    if (last?.source === source && !last.delivery) last.mark = mark;
    else this.#items.push({ source, mark, delivery: undefined, bytes: 0 });
  }

  /** The settlement of everything up to and including a message. */
  upTo(id: MessageId): MailSettlement {
    const index = this.#items.findLastIndex(({ delivery }) => delivery?.message.id === id);
    if (index === -1) throw new Error(`Message ${id} is not among the unread`);
    return this.#settlement(index + 1);
  }

  /** The settlement of the lines that wait for no message. */
  skipped(): MailSettlement {
    return this.#settlement(0);
  }

  deliveriesIn({ count }: MailSettlement): MailDelivery[] {
    return this.#items.slice(0, count).flatMap(({ delivery }) => delivery ?? []);
  }

  /** The delivery of a message; undefined where it is not among the unread. */
  get(id: MessageId): MailDelivery | undefined {
    return this.deliveries().find(({ message }) => message.id === id);
  }

  /** Takes one message out: its line no longer waits for anything. */
  withdraw(id: MessageId): void {
    const item = this.#items.find(({ delivery }) => delivery?.message.id === id);
    if (!item) return;
    this.#messages--;
    this.#bytes -= item.bytes;
    item.delivery = undefined;
    item.bytes = 0;
  }

  settle({ count, marks }: MailSettlement): void {
    for (const [source, mark] of marks) source.settled = ownMark(mark);
    for (const { delivery, bytes } of this.#items.splice(0, count)) {
      if (delivery) this.#messages--;
      this.#bytes -= bytes;
    }
  }

  #settlement(atLeast: number): MailSettlement {
    let count = atLeast;
    while (this.#items[count]?.delivery === undefined && count < this.#items.length) count++;
    const marks = new Map<MailSource, MailMark>();
    for (const { source, mark } of this.#items.slice(0, count)) marks.set(source, mark);
    return { count, marks };
  }
}
