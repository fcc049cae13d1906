import type { Clock } from "../lib/clock.ts";
import type { Secrets } from "../lib/secrets.ts";
import type { MailboxReader } from "../mailbox/mailbox.ts";
import type { Entry } from "../protocol/transcript.ts";
import { hiddenText, isShown, mailText, type WholePath } from "./mail-text.ts";

/** Where a member's input comes from. */
export interface Input {
  /** What the member has not been shown yet. `settle` is called once it is in the transcript. */
  take(): Promise<{ entries: readonly Entry[]; settle(): Promise<void> }>;
}

export interface MailInputOptions {
  reader: Pick<MailboxReader, "unread" | "acknowledge">;
  wholePath: WholePath;
  /** Puts a text that is too long to be shown where `wholePath` says. */
  keepWhole(path: string, text: string): Promise<void>;
  secrets: Secrets;
  clock: Clock;
}

/** The most characters of mail that one request shows. The rest comes with the next. */
const maxMailCharacters = 100_000;

/** The member's mail. */
export class MailInput implements Input {
  readonly #options: MailInputOptions;

  constructor(options: MailInputOptions) {
    this.#options = options;
  }

  async take() {
    const { reader, clock, wholePath, keepWhole, secrets } = this.#options;
    const entries: Entry[] = [];
    let characters = 0;
    const at = clock.now().toISOString();
    for (const { message: sent, position } of await reader.unread()) {
      const message = secrets.maskJson(sent);
      characters += isShown(message) ? mailText(message, wholePath).length : 0;
      if (characters > maxMailCharacters && entries.length > 0) break;
      const hidden = hiddenText(message);
      if (hidden) await keepWhole(wholePath(message), hidden);
      entries.push({ type: "delivery", at, message, position });
    }
    const last = entries.at(-1);
    return {
      entries,
      settle: async () => {
        if (last?.type === "delivery") await reader.acknowledge(last.message.id);
      },
    };
  }
}
