import { escapeElements, escapeWrapper } from "../lib/escape-wrapper.ts";
import { imageLimits } from "../lib/image.ts";
import type { Utterance } from "../model/model.ts";
import type { ModelFailure } from "../model/model-failure.ts";
import type { InputImage, ReplyBlock } from "../protocol/transcript.ts";
import { positionsToCarry } from "../transcript/transcript.ts";
import type { Agent, EventDraft } from "./agent.ts";
import { type Reply, requestReply, type Setback } from "./request-reply.ts";
import { replyText } from "./run-record.ts";

/** True when the next reply might not fit: a fifth is kept free, or more for long replies. */
export function isNearlyFull({ conversation, options }: Agent): boolean {
  const { contextTokens, maxOutputTokens } = options.limits;
  const reserve = Math.max(contextTokens / 5, Math.min(maxOutputTokens, contextTokens / 2));
  return conversation.contextTokens > contextTokens - reserve;
}

/**
 * Replaces a conversation by a summary that the model makes of it, and what is kept word for word.
 * Returns why where nothing could be summarized; then everything is as it was.
 */
export async function* compact(
  agent: Agent,
  signal: AbortSignal,
): AsyncGenerator<EventDraft, Setback | undefined> {
  const { conversation, options } = agent;
  yield { type: "compaction-start", context_tokens: conversation.contextTokens };
  const summary = yield* summarize(agent, signal);
  if (typeof summary !== "string") return summary;

  const wakes = conversation.awaitsReply;
  const recap = await options.recap();
  const { texts, images: shown = [] } = conversation.unansweredInput;
  const goOn = wakes && texts.length === 0 ? [goOnText] : [];
  const images = newest(shown).map((each) => ({ ...each, before: each.before + recap.length }));
  const left = shown.length > images.length ? [leftOutText] : [];
  await agent.record(
    {
      type: "compaction",
      // The summary may repeat texts of files or of other members.
      summary: `<summary>\n${escapeElements(escapeWrapper(summary), ["summary"])}\n</summary>`,
      kept: [...recap, ...texts, ...left, ...goOn],
      ...(images.length > 0 && { images }),
      wakes,
      delivered: positionsToCarry(await options.transcript.tail()),
      answers: [...agent.lastRun.answers],
    },
    agent.profile,
  );
  yield { type: "compaction-end", summary };
  return undefined;
}

const goOnText = "(Your conversation was summarized to make room. Go on with your work.)";

const leftOutText = "(Earlier images of these messages are no longer shown, to make room.)";

/** As many of the newest images as one entry can have. */
function newest(images: readonly InputImage[]): readonly InputImage[] {
  const maxCharacters = (imageLimits.totalBytes * 4) / 3 + imageLimits.count * 4;
  let characters = 0;
  const first = images.findLastIndex(({ data }) => {
    characters += data.length;
    return characters > maxCharacters;
  });
  return images.slice(first + 1);
}

/** The summary, or the setback that another attempt would meet too. */
async function* summarize(
  agent: Agent,
  signal: AbortSignal,
): AsyncGenerator<EventDraft, string | Setback> {
  for (const conversation of attempts(agent)) {
    const reply = yield* requestReply(agent, { conversation, signal });
    if (reply.type === "reply") {
      const summary = summaryOf(reply);
      if (summary) return summary;
    } else if (reply.type === "exhausted" || !isHelpedByLess(reply.failure)) return reply;
  }
  return shortRecord(agent.conversation.utterances, lastResortCharacters);
}

/** True if a shorter form, which is without images, may be taken. */
function isHelpedByLess({ kind }: ModelFailure): boolean {
  return kind === "too-long" || kind === "bad-image";
}

/** Only a reply that is nothing else is a summary: the whole conversation is given up for it. */
function summaryOf({ blocks, stop }: Extract<Reply, { type: "reply" }>): string | undefined {
  const isPlain = stop === "end" && blocks.every(({ type }) => type !== "tool-call");
  return (isPlain && replyText(blocks).trim()) || undefined;
}

/** Ever shorter forms of the conversation. The first is a continuation, which a cache has seen. */
function* attempts({ conversation, options }: Agent): Generator<Utterance[]> {
  const { utterances } = conversation;
  const last = utterances.at(-1);
  const before = last?.type === "input" ? utterances.slice(0, -1) : utterances;
  const { texts, images } = conversation.unansweredInput;
  yield [...before, { type: "input", texts: [...texts, instruction], images }];
  for (const charactersPerToken of [2, 1, 0.5]) {
    const record = shortRecord(utterances, options.limits.contextTokens * charactersPerToken);
    yield [
      {
        type: "input",
        texts: [`<record>\n${escapeElements(record, ["record"])}\n</record>`, instruction],
      },
    ];
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
      return `Shown: ${utterance.texts.join("\n")}${imageCount(utterance.images)}`;
    case "reply":
      return `You: ${escapeWrapper(utterance.blocks.map(blockText).join("\n"))}`;
    case "results":
      // Here they stand beside mail, in one text: what a file says must not look like mail.
      return utterance.results.map(({ output }) => `Result: ${escapeWrapper(output)}`).join("\n");
  }
}

function imageCount(images: readonly InputImage[] = []): string {
  return images.length > 0 ? `\n(images: ${images.length})` : "";
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
