import { firstCharacters } from "../../lib/cut-text.ts";
import { escapeElements } from "../../lib/escape-wrapper.ts";
import type { Message } from "../../protocol/message.ts";
import { attributesOf, bodyOf } from "../../protocol/message-types.ts";
import type { ListedMail } from "../../team/view/team-view.ts";

/** The elements in which a client's model is shown what members wrote. */
const elements = ["teammate-message", "set-aside-line", "member-transcript", "team-data"] as const;
type Element = (typeof elements)[number];

/**
 * A text of members for the model of a client: data, in an element that it cannot leave. `attributes`
 * say whose it is.
 */
export function marked(
  element: Element,
  attributes: Readonly<Record<string, string>>,
  text: string,
): string {
  const shown = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  return `<${element}${shown.join("")}>\n${escapeElements(text, elements)}\n</${element}>`;
}

const entities: Record<string, string> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" };

function escaped(value: string): string {
  return value.replace(/[<>&"]/g, (character) => entities[character] ?? "").replace(/\s+/g, " ");
}

/** A message as a client is shown it. */
export function markedMail(record: ListedMail): string {
  if (record.state === "set aside") {
    const { id, reason, text } = record;
    return marked("set-aside-line", { id, reason }, cut(text, id));
  }
  const { message, state } = record;
  const { from, to, type, id, timestamp } = message;
  const sent = `${new Date(timestamp * 1000).toISOString().slice(0, 19)}Z`;
  const attributes = { from, to, type, id, sent, state, ...attributesOf(message) };
  return marked("teammate-message", attributes, cut(textOf(message), id));
}

/** A question to the person has no text of its own: `approvals` shows it. */
function textOf(message: Message): string {
  return bodyOf(message) || `(a ${message.type})`;
}

/** The most characters of one message. */
const mostShown = 8_000;

function cut(text: string, id: string): string {
  if (text.length <= mostShown) return text;
  const left = text.length - mostShown;
  return `${firstCharacters(text, mostShown)}\n… (${left} more characters: call show with the id ${id})`;
}

/** The newest of `texts`, which are newest first, that one result has room for, and always one. */
export function fitting(texts: readonly string[]): number {
  let characters = 0;
  for (const [index, text] of texts.entries()) {
    characters += text.length;
    if (characters > roomForTexts && index > 0) return index;
  }
  return texts.length;
}

const roomForTexts = 40_000;
