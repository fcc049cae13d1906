import type { ReplyBlock, ToolResult } from "../../protocol/transcript.ts";
import type { ModelRequest, Utterance } from "../model.ts";
import type { DoneCall, Happening } from "./happening.ts";
import { readSummary } from "./summary.ts";

/** Whose part is played. */
export type Self = { type: "lead" } | { type: "teammate"; name: string; role: string };

/** A conversation as the player understands it. */
export interface Reading {
  self: Self;
  /** What was answered already. */
  past: readonly Happening[];
  /** What came, and was done about it, since the last answer. */
  scene: readonly Happening[];
  /** True when the conversation is to be summarized, and nothing else. */
  wantsSummary: boolean;
}

export function read({
  system,
  conversation,
}: Pick<ModelRequest, "system" | "conversation">): Reading {
  const self = readSelf(system);
  const happenings = conversation.flatMap((utterance, index) =>
    readUtterance(utterance, { next: conversation[index + 1], self }),
  );
  const begin = happenings.findLastIndex(endsScene) + 1;
  const last = conversation.at(-1);
  return {
    self,
    past: happenings.slice(0, begin),
    scene: happenings.slice(begin),
    wantsSummary: last?.type === "input" && (last.texts.at(-1) ?? "").startsWith(summaryWanted),
  };
}

const summaryWanted = "Your context is nearly full. Summarize the conversation";

function readSelf(system: string): Self {
  const [, name, role] = /^You are '([^']+)', role: (.*?), at /s.exec(system) ?? [];
  return name && role ? { type: "teammate", name, role } : { type: "lead" };
}

/** After an answer, and after an interruption, nobody waits for what was under way. */
function endsScene(happening: Happening): boolean {
  if (happening.type === "reply") return happening.calls.length === 0;
  return happening.type === "note" && interruption.test(happening.text);
}

const interruption = /^\((?:The person interrupted you|You were stopped) here/;

function readUtterance(
  utterance: Utterance,
  { next, self }: { next: Utterance | undefined; self: Self },
): Happening[] {
  switch (utterance.type) {
    case "input": {
      const isSummarized = utterance.texts[0]?.startsWith("<summary>") ?? false;
      return utterance.texts.flatMap((text) => readText(text, { self, isSummarized }));
    }
    case "reply":
      return [readReply(utterance.blocks, next?.type === "results" ? next.results : [])];
    case "results":
      return [];
  }
}

function readReply(blocks: readonly ReplyBlock[], results: readonly ToolResult[]): Happening {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const calls = blocks.flatMap((block): DoneCall[] => {
    if (block.type !== "tool-call") return [];
    const result = results.find(({ call_id }) => call_id === block.call_id);
    const { output = "", is_error = true } = result ?? {};
    return [{ name: block.name, input: block.input, output, is_error }];
  });
  return { type: "reply", text: texts.join("\n\n"), calls };
}

function readText(
  text: string,
  { self, isSummarized }: { self: Self; isSummarized: boolean },
): Happening[] {
  const mail = readMail(text);
  if (mail) return [mail];
  if (isSummarized && text.startsWith("<summary>")) return readSummary(text);
  const isNote =
    self.type === "teammate" || noteBeginning.test(text) || (isSummarized && recap.test(text));
  return [{ type: isNote ? "note" : "prompt", text }];
}

const noteBeginning =
  /^(?:<project-instructions |<record>|<summary>|\((?:The person interrupted you|You were stopped|Your reply was cut short|Your conversation was summarized)|Your context is nearly full\. Summarize)/;
const recap = /^(?:Team .*|Open tasks|Undecided requests):\n- /;

const wrapper = /^<teammate-message((?: \w+="[^"]*")*)>(.*)<\/teammate-message>$/s;

function readMail(text: string): Happening | undefined {
  const [, attributeText, body] = wrapper.exec(text) ?? [];
  if (attributeText === undefined || body === undefined) return undefined;
  const attributes = new Map(
    [...attributeText.matchAll(/ (\w+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [
      key,
      unescapeAttribute(value),
    ]),
  );
  const optional = (key: "request_id" | "task_id" | "reason") => {
    const value = attributes.get(key);
    return value === undefined ? {} : { [key]: value };
  };
  const approve = attributes.get("approve");
  return {
    type: "mail",
    from: attributes.get("from") ?? "",
    kind: attributes.get("type") ?? "",
    text: body,
    ...optional("request_id"),
    ...optional("task_id"),
    ...optional("reason"),
    ...(approve !== undefined && { approve: approve === "true" }),
  };
}

function unescapeAttribute(value: string): string {
  const characters: Record<string, string> = { lt: "<", gt: ">", quot: '"', amp: "&" };
  return value.replace(/&(lt|gt|quot|amp);/g, (_, name: string) => characters[name] ?? "");
}
