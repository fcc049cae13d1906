import type { Clock } from "../lib/clock.ts";
import { Listeners } from "../lib/listeners.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import { completeDraft } from "./mail-draft.ts";
import {
  type Mailbox,
  type MailboxReader,
  type MailboxReaderOptions,
  type MailDelivery,
  type MailRecord,
  type MailState,
  secondReader,
} from "./mailbox.ts";

export interface MemoryMailboxOptions {
  owner: MemberName;
  clock: Clock;
  /** Called when mail has come, and when some of it has been settled. */
  onChange?(change: "mail" | "mail-read"): void;
}

interface StoredMail extends MailDelivery {
  state: MailState;
}

/** A mailbox for tests and single-process teams. Keeps every promise except surviving a crash. */
export class MemoryMailbox implements Mailbox {
  readonly owner: MemberName;
  readonly #clock: Clock;
  readonly #slots = new Map<MessageId, StoredMail>();
  readonly #listeners = new Listeners<void>();
  readonly #onChange: (change: "mail" | "mail-read") => void;
  #hasReader = false;

  constructor({ owner, clock, onChange = () => {} }: MemoryMailboxOptions) {
    this.owner = owner;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  async append(draft: MessageDraft): Promise<Message> {
    const message = completeDraft(draft, this.owner, this.#clock.now());
    if (!this.#slots.has(message.id)) {
      const position = { generation: 1, offset: this.#slots.size + 1 };
      this.#slots.set(message.id, { message, position, state: "queued" });
    }
    this.#listeners.emit();
    this.#onChange("mail");
    return message;
  }

  async *records(): AsyncGenerator<MailRecord> {
    yield* [...this.#slots.values()].reverse();
  }

  async openReader({ delivered }: MailboxReaderOptions): Promise<MailboxReader> {
    if (this.#hasReader) throw secondReader(this.owner);
    this.#hasReader = true;
    const [furthest] = delivered.positions.map(({ offset }) => offset).sort((a, b) => b - a);
    for (const slot of this.#queued()) {
      if (slot.position.offset <= (furthest ?? 0)) slot.state = "delivered";
    }
    return {
      unread: async () => this.#queued().map(({ message, position }) => ({ message, position })),
      acknowledge: async (upTo) => this.#settle(upTo, "delivered"),
      giveBack: async (upTo) => this.#settle(upTo, "undelivered"),
      withdraw: async (id) => this.#withdraw(id),
      onWake: (listener) => this.#listeners.add(listener),
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    this.#hasReader = false;
  }

  #queued(): StoredMail[] {
    return [...this.#slots.values()].filter(({ state }) => state === "queued");
  }

  #withdraw(id: MessageId): boolean {
    const slot = this.#slots.get(id);
    if (slot?.state !== "queued") return false;
    slot.state = "withdrawn";
    this.#onChange("mail-read");
    return true;
  }

  #settle(upTo: MessageId, state: MailState): void {
    const queued = this.#queued();
    const index = queued.findIndex(({ message }) => message.id === upTo);
    if (index === -1) throw new Error(`Message ${upTo} is not among the unread`);
    for (const slot of queued.slice(0, index + 1)) slot.state = state;
    this.#onChange("mail-read");
  }
}
