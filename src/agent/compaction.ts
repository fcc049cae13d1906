import type { Utterance } from "../model/model.ts";
import type { ModelFailure } from "../model/model-failure.ts";
import type { ReplyBlock } from "../protocol/transcript.ts";
import { positionsToCarry } from "../transcript/transcript.ts";
import type { Agent, EventDraft } from "./agent.ts";
import { replyText, requestReply } from "./request-reply.ts";

/** Part of the context that may be full before the conversation is compacted. */
const fullAt = 0.8;

export function isNearlyFull({ conversation, options }: Agent): boolean {
  const { contextTokens, maxOutputTokens } = options.limits;
  const room = Math.min(contextTokens * fullAt, contextTokens - maxOutputTokens);
  return conversation.contextTokens > Math.max(room, 0);
}

/**
 * Replaces a conversation by a summary that the model makes of it, and what is kept word for word.
 * Returns why where nothing could be summarized; then everything is as it was.
 */
export async function* compact(
  agent: Agent,
  signal: AbortSignal,
): AsyncGenerator<EventDraft, ModelFailure | undefined> {
  const { conversation, options } = agent;
  yield { type: "compaction-start", context_tokens: conversation.contextTokens };
  const summary = yield* summarize(agent, signal);
  if (typeof summary !== "string") return summary;

  const wakes = conversation.awaitsReply;
  const unanswered = conversation.unansweredInput;
  const goOn = wakes && unanswered.length === 0 ? [goOnText] : [];
  await agent.record(
    {
      type: "compaction",
      summary: `<summary>\n${summary}\n</summary>`,
      kept: [...(await options.recap()), ...unanswered, ...goOn],
      wakes,
      delivered: positionsToCarry(await options.transcript.tail()),
    },
    agent.profile,
  );
  yield { type: "compaction-end", summary };
  return undefined;
}

const goOnText = "(Your conversation was summarized to make room. Go on with your work.)";

/** The summary, or the failure that another attempt would meet too. */
async function* summarize(
  agent: Agent,
  signal: AbortSignal,
): AsyncGenerator<EventDraft, string | ModelFailure> {
  for (const conversation of attempts(agent)) {
    const reply = yield* requestReply(agent, { conversation, signal });
    if (reply.type === "reply") {
      const text = replyText(reply.blocks);
      if (text !== "") return text;
    } else if (reply.failure.kind !== "too-long") return reply.failure;
  }
  return shortRecord(agent.conversation.utterances, lastResortCharacters);
}

/** Ever shorter forms of the conversation. The first is a continuation, which a cache has seen. */
function* attempts({ conversation, options }: Agent): Generator<Utterance[]> {
  const { utterances } = conversation;
  const last = utterances.at(-1);
  const texts = last?.type === "input" ? [...last.texts, instruction] : [instruction];
  const before = last?.type === "input" ? utterances.slice(0, -1) : utterances;
  yield [...before, { type: "input", texts }];
  for (const charactersPerToken of [2, 1, 0.5]) {
    const record = shortRecord(utterances, options.limits.contextTokens * charactersPerToken);
    yield [{ type: "input", texts: [`<record>\n${record}\n</record>`, instruction] }];
  }
}

const lastResortCharacters = 20_000;

const instruction = `Your context is nearly full. Summarize the conversation so far, for yourself: it will be replaced by your summary, and you will go on from there. Call no tool. Keep: what was asked and by whom, what is decided and why, what is done (files, commands, results), what is under way, what is left to do, and every name, path, id and figure you will need.`;

/** The conversation as plain text of at most `maxCharacters`: its beginning and, mostly, its end. */
function shortRecord(utterances: readonly Utterance[], maxCharacters: number): string {
  const text = utterances.map(recordOf).join("\n\n");
  if (text.length <= maxCharacters) return text;
  const head = Math.floor(maxCharacters / 4);
  const tail = Math.floor(maxCharacters) - head;
  return `${text.slice(0, head)}\n... (${text.length - head - tail} characters left out)\n${text.slice(-tail)}`;
}

function recordOf(utterance: Utterance): string {
  switch (utterance.type) {
    case "input":
      return `Shown: ${utterance.texts.join("\n")}`;
    case "reply":
      return `You: ${utterance.blocks.map(blockText).join("\n")}`;
    case "results":
      return utterance.results.map(({ output }) => `Result: ${output}`).join("\n");
  }
}

function blockText(block: ReplyBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return "";
    case "tool-call":
      return `(called ${block.name} with ${JSON.stringify(block.input)})`;
  }
}
