import { firstCharacters } from "../lib/cut-text.ts";
import type { Secrets } from "../lib/secrets.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import type { EventHub } from "./event-hub.ts";
import type { TeamStore } from "./team-store.ts";

/** Enough for a line or two on a screen. */
const previewCharacters = 400;

/** How mail leaves this process: without secrets, told to whoever watches, and accounted for. */
export class Post {
  readonly #store: Pick<TeamStore, "send">;
  readonly #hub: EventHub;
  readonly #secrets: Secrets;
  readonly #underWay = new Map<string, Set<Promise<unknown>>>();

  constructor(options: { store: Pick<TeamStore, "send">; hub: EventHub; secrets: Secrets }) {
    this.#store = options.store;
    this.#hub = options.hub;
    this.#secrets = options.secrets;
  }

  /** Throws `member-unknown` or `member-ended`, with the members there are. */
  async send(to: string, draft: MessageDraft): Promise<Message> {
    const recipient = to.toLowerCase();
    const sending = this.#store.send(to, this.#secrets.maskJson(draft));
    const others = this.#underWay.get(recipient) ?? new Set();
    this.#underWay.set(recipient, others.add(sending));
    try {
      const message = await sending;
      this.#tell(message);
      return message;
    } finally {
      others.delete(sending);
      if (others.size === 0) this.#underWay.delete(recipient);
    }
  }

  #tell({ id, type: message_type, from: member, to, content }: Message): void {
    const preview = firstCharacters(content, previewCharacters);
    this.#hub.say({ type: "message-sent", member, id, message_type, to, preview });
  }

  /**
   * Resolves when everything that is on its way to a member has arrived or was refused. Whoever
   * ends a member calls it once new mail is refused, and so overlooks nothing.
   */
  async arrived(at: MemberName): Promise<void> {
    await Promise.allSettled(this.#underWay.get(at) ?? []);
  }
}
