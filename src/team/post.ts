import type { Clock } from "../lib/clock.ts";
import type { Secrets } from "../lib/secrets.ts";
import { type MemberName, type MessageId, newMessageId, user } from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import type { TeamStore } from "./team-store.ts";

export interface PostOptions {
  store: Pick<TeamStore, "send">;
  secrets: Secrets;
  clock: Clock;
}

/** Sends mail from this process: without secrets, and so that it is known what is still on its way. */
export class Post {
  readonly #options: PostOptions;
  readonly #underWay = new Map<string, Set<Promise<unknown>>>();
  /** The messages of the person, and who has each in its mailbox. */
  readonly #persons = new Map<MessageId, MemberName | undefined>();

  constructor(options: PostOptions) {
    this.#options = options;
  }

  /** Throws `member-unknown` or `member-ended`, with the members there are. */
  async send(to: string, draft: MessageDraft): Promise<Message> {
    const { store, secrets, clock } = this.#options;
    const recipient = to.toLowerCase();
    const { id = newMessageId(clock.now()), from } = draft;
    // Before it is sent: its event may come before the sending returns.
    if (from === user) this.#persons.set(id, undefined);
    const sending = store.send(to, secrets.maskJson({ ...draft, id }));
    const others = this.#underWay.get(recipient) ?? new Set();
    this.#underWay.set(recipient, others.add(sending));
    try {
      const sent = await sending;
      if (from === user) this.#persons.set(id, sent.to);
      return sent;
    } finally {
      others.delete(sending);
      if (others.size === 0) this.#underWay.delete(recipient);
    }
  }

  /** True for a message of the person that was sent here, and not from another process. */
  hasSentForPerson(id: MessageId): boolean {
    return this.#persons.has(id);
  }

  /** The member that has a message of the person in its mailbox; undefined where it was not sent here. */
  recipientOf(id: MessageId): MemberName | undefined {
    return this.#persons.get(id);
  }

  /**
   * Resolves when all mail that is on its way to a member has arrived or was refused. The removal of
   * a member calls it once new mail is refused, so that no mail is overlooked.
   */
  async arrived(at: MemberName): Promise<void> {
    await Promise.allSettled(this.#underWay.get(at) ?? []);
  }
}
