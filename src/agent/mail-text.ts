import { escapeAttribute, escapeWrapper } from "../lib/escape-wrapper.ts";
import type { Message } from "../protocol/message.ts";
import { attributesOf, bodyOf, isShown } from "../protocol/message-types.ts";

/** The most characters of one message that a model is shown. The rest is in a file that is named. */
const maxShownCharacters = 32_000;

/** The path of the whole text of a message that is too long to be shown. */
export type WholePath = (message: Message) => string;

/**
 * A message as its model sees it: wrapped so that its text cannot leave the wrapper. Only the
 * person's own words to the lead come as they are, and cannot look like a wrapper either.
 */
export function mailText(message: Message, wholePath: WholePath): string {
  const text = escapeWrapper(shorten(bodyOf(message), message, wholePath));
  if (message.type === "message" && message.from === "user" && message.to === "lead") return text;
  const { from, type, id, timestamp } = message;
  const sent = `${new Date(timestamp * 1000).toISOString().slice(0, 19)}Z`;
  const attributes = Object.entries({ from, type, id, sent, ...attributesOf(message) }).map(
    ([name, value]) => ` ${name}="${escapeAttribute(value)}"`,
  );
  return `<teammate-message${attributes.join("")}>${text}</teammate-message>`;
}

/** The whole text of a message that is shown in part, or undefined where all of it is shown. */
export function hiddenText(message: Message): string | undefined {
  const text = isShown(message) ? bodyOf(message) : "";
  return text.length > maxShownCharacters ? text : undefined;
}

function shorten(text: string, message: Message, wholePath: WholePath): string {
  if (text.length <= maxShownCharacters) return text;
  const left = text.length - maxShownCharacters;
  return `${text.slice(0, maxShownCharacters)}\n... (${left} more characters; the whole is in ${wholePath(message)})`;
}
