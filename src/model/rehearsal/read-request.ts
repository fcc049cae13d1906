import type { ReplyBlock, ToolResult } from "../../protocol/transcript.ts";
import type { ModelRequest } from "../model.ts";
import { Happening, readSummary } from "./happening.ts";

/** A parsed request. */
export interface RequestReading {
  /** The member that the model answers for. `title` is how it introduces itself to others. */
  self: { isLead: boolean; name: string; title: string };
  /** The items before the last answer. */
  past: readonly Happening[];
  /** The mail and replies since the last answer. */
  current: readonly Happening[];
  wantsSummary: boolean;
}

export function readRequest({ system, conversation }: ModelRequest): RequestReading {
  const self = readSelf(system);
  const happenings = conversation.flatMap((utterance, index): Happening[] => {
    if (utterance.type === "results") return [];
    if (utterance.type === "input") return readInput(utterance.texts, self.isLead);
    const next = conversation[index + 1];
    return [readReply(utterance.blocks, next?.type === "results" ? next.results : [])];
  });
  const begin = happenings.findLastIndex(endsScene) + 1;
  const last = conversation.at(-1);
  const lastText = last?.type === "input" ? last.texts.at(-1) : undefined;
  return {
    self,
    past: happenings.slice(0, begin),
    current: happenings.slice(begin),
    wantsSummary: lastText?.startsWith("Your context is nearly full. Summarize") ?? false,
  };
}

function readSelf(system: string): RequestReading["self"] {
  const [, name, role] = /^You are '([^']+)', role: (.*?), at /s.exec(system) ?? [];
  if (!name || !role) return { isLead: true, name: "lead", title: "your lead" };
  return { isLead: false, name, title: `${name} (${role})` };
}

/** A scene ends with an answer or an interruption. */
function endsScene({ type, text, calls }: Happening): boolean {
  if (type === "reply") return calls.length === 0;
  return type === "note" && /^\((?:The person interrupted you|You were stopped) here/.test(text);
}

function readReply(blocks: readonly ReplyBlock[], results: readonly ToolResult[]): Happening {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const calls = blocks.flatMap((block) => {
    if (block.type !== "tool-call") return [];
    const result = results.find(({ call_id }) => call_id === block.call_id);
    const { output = "", is_error = true } = result ?? {};
    return [{ name: block.name, input: block.input, output, is_error }];
  });
  return Happening.parse({ type: "reply", text: texts.join("\n\n"), calls });
}

/** Only prompts of the person to the lead come without the wrapper of mail. */
function readInput(texts: readonly string[], isLead: boolean): Happening[] {
  const isSummarized = texts[0]?.startsWith("<summary>") ?? false;
  return texts.flatMap((text, index) => {
    const [, attributes, body] = wrapper.exec(text) ?? [];
    if (attributes !== undefined) return [readMail(attributes, body)];
    if (isSummarized && index === 0) return readSummary(text);
    const isNote = !isLead || note.test(text) || (isSummarized && recap.test(text));
    const prompt = { type: "mail", kind: "message", from: "user", text };
    return [Happening.parse(isNote ? { type: "note", text } : prompt)];
  });
}

const wrapper = /^<teammate-message((?: \w+="[^"]*")*)>(.*)<\/teammate-message>$/s;
const note =
  /^(?:<project-instructions |<record>|<summary>|\((?:The person interrupted you|You were stopped|Your reply was cut short|Your conversation was summarized)|Your context is nearly full\. Summarize)/;
const recap = /^(?:Team .*|Open tasks|Undecided requests):\n- /;

function readMail(attributes: string, text: string | undefined): Happening {
  const fields = [...attributes.matchAll(/ (\w+)="([^"]*)"/g)].map(([, name, value = ""]) => [
    name === "type" ? "kind" : name,
    value.replace(/&(lt|gt|quot|amp);/g, (_, entity: string) => entities[entity] ?? ""),
  ]);
  return Happening.parse({ ...Object.fromEntries(fields), type: "mail", text });
}

const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', amp: "&" };
