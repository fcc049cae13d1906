import { firstCharacters } from "../lib/cut-text.ts";
import type { Secrets } from "../lib/secrets.ts";
import { Serial } from "../lib/serial.ts";
import type { EventLog } from "../logs/event-log.ts";
import { previewCharacters } from "../protocol/event-preview.ts";
import { type MemberName, type MessageId, outside } from "../protocol/ids.ts";
import type { Message } from "../protocol/message.ts";
import type { EventHub } from "./event-hub.ts";

/** How much earlier than a message its event may be dated: clocks are set back. */
const clockSkewMs = 60_000;

export interface SentEventsOptions {
  hub: EventHub;
  log: Pick<EventLog, "sentMessages">;
  secrets: Secrets;
  /** When this process opened the team. */
  openedAt: Date;
}

/**
 * Emits `message-sent` for each message when the team first reads it, whichever process sent it.
 * Mail that was unread at the last exit is read again: the event log tells which of it has its
 * event.
 */
export class SentEvents {
  readonly #options: SentEventsOptions;
  /** Of each mailbox, the messages that were unread at the last look. */
  readonly #unread = new Map<MemberName, ReadonlySet<MessageId>>();

  readonly #serial = new Serial();

  constructor(options: SentEventsOptions) {
    this.#options = options;
  }

  /** Takes all unread mail of a member, in order. Resolves when every message has its event. */
  report(owner: MemberName, unread: readonly Message[]): Promise<void> {
    return this.#serial.run(async () => {
      const known = this.#unread.get(owner);
      // A message that is no longer unread does not come back: only the unread ones are remembered.
      this.#unread.set(owner, new Set(unread.map(({ id }) => id)));
      const found = unread.filter(({ id }) => !known?.has(id));
      const isFromBefore = known ? found.some((message) => this.#isFromBefore(message)) : true;
      const reported = isFromBefore ? await this.#findReported(found) : new Set<MessageId>();
      for (const message of found) if (!reported.has(message.id)) this.#say(message);
    });
  }

  /** The time of a message that troupe did not write is only a claim. */
  #isFromBefore({ from, timestamp }: Message): boolean {
    return from !== outside && timestamp * 1000 < this.#options.openedAt.getTime();
  }

  /** The messages that a process before this one has reported. */
  async #findReported(found: readonly Message[]): Promise<Set<MessageId>> {
    if (found.length === 0) return new Set();
    const times = found.map(({ from, timestamp }) => (from === outside ? 0 : timestamp * 1000));
    const since = new Date(Math.max(0, Math.min(...times) - clockSkewMs));
    return this.#options.log.sentMessages(new Set(found.map(({ id }) => id)), since);
  }

  #say({ id, type: message_type, from: member, to, content }: Message): void {
    const { hub, secrets } = this.#options;
    // Another process does not know this one's secrets.
    const preview = firstCharacters(secrets.mask(content), previewCharacters);
    hub.say({ type: "message-sent", member, id, message_type, to, preview });
  }
}
