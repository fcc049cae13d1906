import type { Clock } from "../lib/clock.ts";
import { imageLimits } from "../lib/image.ts";
import type { Secrets } from "../lib/secrets.ts";
import type { MailDelivery } from "../mailbox/mailbox.ts";
import type { ImageReference, Message } from "../protocol/message.ts";
import { isShown } from "../protocol/message-types.ts";
import type { DeliveryEntry, ModelImage, ReceivedMail } from "../protocol/transcript.ts";
import { hiddenText, mailText, type WholePath } from "./mail-text.ts";

/** Where a member's input comes from. */
export interface Input {
  /**
   * What the member has not been shown yet; unless a request is due anyway (`isDue`), only where it
   * is worth one. `taken` is what the next request shows already.
   */
  take(isDue: boolean, taken?: readonly DeliveryEntry[]): Promise<readonly DeliveryEntry[]>;
  /** The oldest mail, as much of it as `choose` says, for the next request, whenever that comes. */
  takeSome(choose: (unread: readonly Message[]) => number): Promise<readonly DeliveryEntry[]>;
  /**
   * Has `record` put mail into the transcript, and takes it off the mailbox after that. `record` gets it without what
   * was withdrawn since it was taken, and so does the caller.
   */
  takeIn<Mail extends ReceivedMail>(
    mail: readonly Mail[],
    record: (mail: readonly Mail[]) => Promise<void>,
  ): Promise<readonly Mail[]>;
}

/** A mailbox from which mail gets into a transcript. */
export interface MailTaking {
  /** The oldest unread mail. */
  unread(): Promise<readonly MailDelivery[]>;
  /** Keeps mail from being withdrawn, because a call has it already. Resolves to what was not withdrawn before. */
  hold<Mail extends ReceivedMail>(mail: readonly Mail[]): Promise<readonly Mail[]>;
  /** As `Input.takeIn`. */
  takeIn: Input["takeIn"];
}

export interface MailInputOptions {
  reader: MailTaking;
  /** Whether mail is worth a request of its own. */
  isWorthwhile(unread: readonly Message[]): boolean;
  wholePath: WholePath;
  /** Puts a text that is too long to be shown where `wholePath` says. */
  keepWhole(path: string, text: string): Promise<void>;
  /** The image of a message; undefined where it is no longer there. */
  readImage(reference: ImageReference): ModelImage | undefined;
  secrets: Secrets;
  clock: Clock;
}

/** The most characters of mail that one request shows. The rest comes with the next. */
const maxMailCharacters = 100_000;
/** The most that the result of a call shows: no result may be longer. */
const maxResultCharacters = 40_000;

/** The member's mail. */
export class MailInput implements Input {
  readonly #options: MailInputOptions;

  constructor(options: MailInputOptions) {
    this.#options = options;
  }

  async take(isDue: boolean, taken: readonly DeliveryEntry[] = []) {
    const { reader, isWorthwhile } = this.#options;
    const unread = await reader.unread();
    if (!isDue && !isWorthwhile(unread.map(({ message }) => message))) return [];
    return this.#deliver(await this.#fitting(unread, maxMailCharacters, taken));
  }

  async takeSome(
    choose: (unread: readonly Message[]) => number,
  ): Promise<readonly DeliveryEntry[]> {
    const unread = await this.#options.reader.unread();
    const count = choose(unread.map(({ message }) => message));
    return this.#deliver(await this.#fitting(unread.slice(0, count), Number.POSITIVE_INFINITY));
  }

  /**
   * The unread mail, for a call whose result shows it. It ends before the first message with images,
   * which the next request shows.
   */
  async takeForResult(): Promise<readonly ReceivedMail[]> {
    const unread = await this.#options.reader.unread();
    const end = unread.findIndex(({ message }) => referencesOf(message).length > 0);
    const mail = await this.#fitting(end < 0 ? unread : unread.slice(0, end), maxResultCharacters);
    return this.#options.reader.hold(mail);
  }

  takeIn: Input["takeIn"] = (mail, record) => this.#options.reader.takeIn(mail, record);

  #deliver(mail: readonly ReceivedMail[]): DeliveryEntry[] {
    const at = this.#options.clock.now().toISOString();
    return mail.map((received) => ({ type: "delivery", at, ...received }));
  }

  /** The oldest mail, as much as fits beside `taken`; always one message in all. */
  async #fitting(
    unread: readonly MailDelivery[],
    maxCharacters: number,
    taken: readonly ReceivedMail[] = [],
  ): Promise<ReceivedMail[]> {
    const { wholePath, keepWhole, readImage, secrets } = this.#options;
    const length = (message: Message) =>
      isShown(message) ? mailText(message, wholePath).length : 0;
    const mail: ReceivedMail[] = [];
    let characters = taken.reduce((sum, { message }) => sum + length(message), 0);
    let imageBytes = taken.reduce((sum, { message }) => sum + imageBytesOf(message), 0);
    for (const { message: sent, position } of unread) {
      const message = secrets.maskJson(sent);
      characters += length(message);
      imageBytes += imageBytesOf(message);
      const isTooMuch = characters > maxCharacters || imageBytes > imageLimits.totalBytes;
      if (isTooMuch && mail.length + taken.length > 0) break;
      const hidden = hiddenText(message);
      if (hidden) await keepWhole(wholePath(message), hidden);
      const images = referencesOf(message).flatMap((image) => readImage(image) ?? []);
      mail.push({ message, position, ...(images.length > 0 && { images }) });
    }
    return mail;
  }
}

function referencesOf(message: Message): readonly ImageReference[] {
  return message.type === "message" ? (message.images ?? []) : [];
}

function imageBytesOf(message: Message): number {
  return referencesOf(message).reduce((sum, { bytes }) => sum + bytes, 0);
}
