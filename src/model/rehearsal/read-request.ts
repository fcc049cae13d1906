import type { ReplyBlock, ToolResult } from "../../protocol/transcript.ts";
import type { ModelRequest } from "../model.ts";
import { ConversationItem, readSummary } from "./conversation-item.ts";

/** A parsed request. */
export interface RequestReading {
  /** The member that the model answers for. `title` is how it introduces itself to others. */
  self: { isLead: boolean; name: string; title: string };
  /** The items before the last answer. */
  past: readonly ConversationItem[];
  /** The mail and replies since the last answer. */
  current: readonly ConversationItem[];
  wantsSummary: boolean;
}

export function readRequest({ system, conversation }: ModelRequest): RequestReading {
  const self = readSelf(system);
  const items = conversation.flatMap((utterance, index): ConversationItem[] => {
    if (utterance.type === "results") return [];
    if (utterance.type === "input") return readInput(utterance.texts, self.isLead);
    const next = conversation[index + 1];
    return [readReply(utterance.blocks, next?.type === "results" ? next.results : [])];
  });
  const begin = items.findLastIndex(endsScene) + 1;
  const last = conversation.at(-1);
  const lastText = last?.type === "input" ? last.texts.at(-1) : undefined;
  return {
    self,
    past: items.slice(0, begin),
    current: items.slice(begin),
    wantsSummary: lastText?.startsWith("Your context is nearly full. Summarize") ?? false,
  };
}

function readSelf(system: string): RequestReading["self"] {
  const [, name, role] = /^You are '([^']+)', role: (.*?), at /s.exec(system) ?? [];
  if (!name || !role) return { isLead: true, name: "lead", title: "your lead" };
  return { isLead: false, name, title: `${name} (${role})` };
}

/** A scene ends with an answer or an interruption. */
function endsScene({ type, text, calls }: ConversationItem): boolean {
  if (type === "reply") return calls.length === 0;
  return type === "note" && /^\((?:The person interrupted you|You were stopped) here/.test(text);
}

function readReply(
  blocks: readonly ReplyBlock[],
  results: readonly ToolResult[],
): ConversationItem {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const calls = blocks.flatMap((block) => {
    if (block.type !== "tool-call") return [];
    const result = results.find(({ call_id }) => call_id === block.call_id);
    const { output = "", is_error = true } = result ?? {};
    return [{ name: block.name, input: block.input, output, is_error }];
  });
  return ConversationItem.parse({ type: "reply", text: texts.join("\n\n"), calls });
}

/** Only prompts of the person to the lead come without the wrapper of mail. */
function readInput(texts: readonly string[], isLead: boolean): ConversationItem[] {
  const isSummarized = texts[0]?.startsWith("<summary>") ?? false;
  return texts.flatMap((text, index) => {
    const [, attributes, body] = wrapper.exec(text) ?? [];
    if (attributes !== undefined) return [readMail(attributes, body)];
    if (isSummarized && index === 0) return readSummary(text);
    const isNote = !isLead || note.test(text) || (isSummarized && recap.test(text));
    const prompt = { type: "mail", kind: "message", from: "user", text };
    return [ConversationItem.parse(isNote ? { type: "note", text } : prompt)];
  });
}

const wrapper = /^<teammate-message((?: \w+="[^"]*")*)>(.*)<\/teammate-message>$/s;
const note =
  /^(?:<project-instructions |<skills>|<skill |<record>|<summary>|\((?:The person interrupted you|You were stopped|Your reply was cut short|Your conversation was summarized)|Your context is nearly full\. Summarize)/;
const recap = /^(?:Team .*|Open tasks|Undecided requests):\n- /;

function readMail(attributes: string, text: string | undefined): ConversationItem {
  const fields = [...attributes.matchAll(/ (\w+)="([^"]*)"/g)].map(([, name, value = ""]) => [
    name === "type" ? "kind" : name,
    value.replace(/&(lt|gt|quot|amp);/g, (_, entity: string) => entities[entity] ?? ""),
  ]);
  return ConversationItem.parse({ ...Object.fromEntries(fields), type: "mail", text });
}

const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', amp: "&" };
