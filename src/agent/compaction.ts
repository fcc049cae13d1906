import { escapeElements, escapeWrapper } from "../lib/escape-wrapper.ts";
import { imageLimits } from "../lib/image.ts";
import { estimateTokens } from "../model/estimate-tokens.ts";
import type { Utterance } from "../model/model.ts";
import type { ModelFailure } from "../model/model-failure.ts";
import type { CompactionEntry, InputImage, ReplyBlock } from "../protocol/transcript.ts";
import { positionsToCarry } from "../transcript/transcript.ts";
import type { Agent, EventDraft } from "./agent.ts";
import { type Reply, requestReply, type Setback } from "./request-reply.ts";
import { replyText } from "./run-record.ts";
import type { LastRun } from "./runner.ts";

/** True when the next reply might not fit: a fifth is kept free, or more for long replies. */
export function isNearlyFull({ conversation, options }: Agent): boolean {
  const { contextTokens, maxOutputTokens } = options.limits;
  const reserve = Math.max(contextTokens / 5, Math.min(maxOutputTokens, contextTokens / 2));
  return conversation.contextTokens > contextTokens - reserve;
}

/** The wish of the person for a summary. */
interface SummaryWish {
  /** In the person's words, what it must keep. */
  keep: string | undefined;
}

/**
 * Replaces a conversation by a summary that the model makes of it, and what is kept word for word.
 * Returns why where nothing could be summarized; then everything is as it was. So it is, too, where the
 * person has asked for it (`wish`) and the model has made no summary.
 */
export async function* compact(
  agent: Agent,
  signal: AbortSignal,
  wish?: SummaryWish,
): AsyncGenerator<EventDraft, Setback | undefined> {
  const { conversation, options } = agent;
  yield { type: "compaction-start", context_tokens: contextSize(agent) };
  const summary = yield* summarize(agent, signal, wish);
  if (typeof summary !== "string") return summary;

  const wakes = conversation.awaitsReply;
  const recap = await options.recap();
  const { texts, images: shown = [] } = conversation.unansweredInput;
  const goOn = wakes && texts.length === 0 && agent.lastRun.isOpen ? [goOnText] : [];
  const images = newest(shown).map((each) => ({ ...each, before: each.before + recap.length }));
  const left = shown.length > images.length ? [leftOutText] : [];
  const delivered = positionsToCarry(await options.transcript.tail());
  if (signal.aborted) return { type: "failed", failure: tooLate };
  await agent.record(
    {
      type: "compaction",
      // The summary may repeat texts of files or of other members.
      summary: `<summary>\n${escapeElements(escapeWrapper(summary), ["summary"])}\n</summary>`,
      kept: [...recap, ...texts, ...left, ...goOn],
      rebuilt: recap.length + goOn.length,
      ...(images.length > 0 && { images }),
      wakes,
      delivered,
      answers: [...agent.lastRun.answers],
      ...lastEnd(agent.lastRun),
    },
    agent.profile,
  );
  yield { type: "compaction-end", summary, context_tokens: contextSize(agent) };
  return undefined;
}

/** About how many tokens the next request has, its instructions and tools among them. */
export function contextSize({ conversation, options, toolSpecs }: Agent): number {
  const { contextTokens, isCounted } = conversation;
  return contextTokens + (isCounted ? 0 : estimateTokens([options.system, toolSpecs]));
}

/** The end of the last run for an entry behind which the transcript is not read. */
export function lastEnd({ isOpen, end }: LastRun): Pick<CompactionEntry, "end"> {
  if (isOpen) return {};
  const { outcome = "done", reason, reportId } = end ?? {};
  return { end: { outcome, ...(reason && { reason }), ...(reportId && { report_id: reportId }) } };
}

const tooLate: ModelFailure = { kind: "aborted", message: "It was interrupted" };

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
  wish: SummaryWish | undefined,
): AsyncGenerator<EventDraft, string | Setback> {
  let setback: Setback = { type: "failed", failure: noSummary };
  for (const conversation of attempts(agent, instructionFor(wish))) {
    const reply = yield* requestReply(agent, { conversation, signal });
    if (reply.type === "reply") {
      const summary = summaryOf(reply);
      if (summary) return summary;
      setback = { type: "failed", failure: noSummary };
    } else {
      if (reply.type === "exhausted" || !isHelpedByLess(reply.failure)) return reply;
      setback = reply;
    }
  }
  if (wish) return setback;
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
function* attempts({ conversation, options }: Agent, instruction: string): Generator<Utterance[]> {
  const { utterances } = conversation;
  const last = utterances.at(-1);
  const before = last?.type === "input" ? utterances.slice(0, -1) : utterances;
  const { texts, images } = last?.type === "input" ? last : { texts: [] };
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

/** What the model is asked for. The wish is the person's, and cannot end its wrapper. */
function instructionFor(wish: SummaryWish | undefined): string {
  if (!wish) return `Your context is nearly full. ${instruction}`;
  const asked = `The person has asked for a shorter conversation. ${instruction}`;
  if (wish.keep === undefined) return asked;
  const keep = escapeElements(escapeWrapper(wish.keep), ["keep"]);
  return `${asked} The person says what the summary must keep:\n<keep from="user">\n${keep}\n</keep>`;
}

const noSummary: ModelFailure = {
  kind: "malformed",
  message: "the model made no summary",
};

const instruction = `Summarize the conversation so far, for yourself: it will be replaced by your summary, and you will continue from there. Call no tool. Keep: what was asked and by whom, what is decided and why, what is done (files, commands, results), what is under way, what is left to do, and every name, path, id and figure you will need.`;

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
