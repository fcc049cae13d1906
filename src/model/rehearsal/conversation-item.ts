import { z } from "zod";
import { firstCharacters } from "../../lib/cut-text.ts";
import { jsonString } from "../../lib/json.ts";

/** A call that was made and answered. */
const DoneCall = z.object({
  name: z.string(),
  input: z.unknown(),
  output: z.string(),
  is_error: z.boolean(),
});
export type DoneCall = z.infer<typeof DoneCall>;

/**
 * One item of a conversation: mail, including prompts of the person; a note of the runtime; or a
 * reply of the model. A reply without calls ends a scene.
 */
export const ConversationItem = z.object({
  type: z.enum(["mail", "note", "reply"]),
  text: z.string(),
  calls: z.array(DoneCall).default([]),
  /** The fields of mail. `kind` is the message's type. */
  kind: z.string().default(""),
  from: z.string().default(""),
  request_id: z.string().default(""),
  task_id: z.string().default(""),
  approve: z.string().default(""),
  reason: z.string().default(""),
});
export type ConversationItem = z.infer<typeof ConversationItem>;

const SummaryLine = jsonString(ConversationItem);
const summaryHead = "What happened, one thing a line:";
const keptCharacters = 1_000;

/** A summary that replaces a conversation. `readSummary` reads it back. */
export function writeSummary(items: readonly ConversationItem[]): string {
  const lines = items
    .filter(({ type }) => type !== "note")
    .map(({ text, calls, ...others }) => ({
      ...others,
      text: firstCharacters(text, keptCharacters),
      // The inputs are not cut: they show which calls of a script were already made.
      calls: calls.map((call) => ({
        ...call,
        output: firstCharacters(call.output, keptCharacters),
      })),
    }));
  return [summaryHead, ...lines.map((line) => JSON.stringify(line))].join("\n");
}

/** The items in a summary of `writeSummary`. Any other summary is a note. */
export function readSummary(text: string): ConversationItem[] {
  const [head, ...lines] = text.replace("<summary>\n", "").split("\n");
  if (head !== summaryHead) return [ConversationItem.parse({ type: "note", text })];
  return lines.flatMap((line) => SummaryLine.safeParse(line).data ?? []);
}
