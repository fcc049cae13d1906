import { TeamError } from "../errors.ts";
import { isLeaving } from "../lib/leaving.ts";
import { estimateTokens } from "../model/estimate-tokens.ts";
import type { Agent, EventDraft } from "./agent.ts";
import { compact, contextSize } from "./compaction.ts";
import type { Setback } from "./request-reply.ts";
import type { CompactionOrder } from "./runner.ts";

/** A summary of less would not be shorter. */
const leastTokens = 500;

/**
 * Summarizes the conversation at the person's request. If that fails, the conversation is unchanged, and the order is rejected with the reason.
 */
export async function* carryOutCompaction(
  agent: Agent,
  order: CompactionOrder,
  signal: AbortSignal,
): AsyncGenerator<EventDraft, void> {
  const refusal = refusalOf(agent);
  if (refusal) return order.reject(refusal);
  const { name: member, hooks } = agent.options;
  const compaction = { member, trigger: "manual", keep: order.keep, signal } as const;
  const prevented = await hooks?.beforeCompaction(compaction);
  if (prevented !== undefined) return order.reject(preventedBy(member, prevented));
  const tokensBefore = contextSize(agent);
  let isOver = false;
  try {
    const setback = yield* compact(agent, signal, { keep: order.keep });
    isOver = true;
    if (setback) order.reject(failed(agent, setback, signal));
    else order.resolve({ tokensBefore, tokensAfter: contextSize(agent) });
  } catch (error) {
    isOver = true;
    order.reject(error);
    throw error;
  } finally {
    if (!isOver) order.reject(cancelled(agent.options.name));
  }
}

function refusalOf({ conversation, options }: Agent): TeamError | undefined {
  const { name } = options;
  if (conversation.openCalls.length > 0) {
    return new TeamError("compaction-failed", `A call of '${name}' has no result yet`, {
      hint: "Write to the member, so that it continues; then compact it.",
    });
  }
  const { utterances } = conversation;
  const hasReplied = utterances.some(({ type }) => type === "reply");
  if (hasReplied && estimateTokens(utterances) >= leastTokens) return undefined;
  return new TeamError(
    "conversation-short",
    `The conversation of '${name}' is too short to be summarized`,
    { hint: "Compact it when there is more in it, or clear it to start again." },
  );
}

function failed({ options }: Agent, setback: Setback, signal: AbortSignal): TeamError {
  const { name } = options;
  if (signal.aborted) return isLeaving(signal) ? leftBefore(name) : cancelled(name);
  if (setback.type === "exhausted") {
    return new TeamError("compaction-failed", `${notSummarized(name)}: ${setback.reason}`, {
      hint: "It is unchanged. Clearing it needs no model call.",
    });
  }
  const { message, hint = "It is unchanged." } = setback.failure;
  return new TeamError("compaction-failed", `${notSummarized(name)}: ${message}`, { hint });
}

/** The person interrupted the member before there was a summary. */
export function cancelled(name: string): TeamError {
  return new TeamError("compaction-failed", `${notSummarized(name)}: it was interrupted`, {
    hint: "It is unchanged.",
  });
}

function preventedBy(name: string, reason: string): TeamError {
  return new TeamError(
    "compaction-failed",
    `${notSummarized(name)}: a hook prevents it: ${reason}`,
    {
      hint: "It is unchanged.",
    },
  );
}

function leftBefore(name: string): TeamError {
  return new TeamError("team-closed", `${notSummarized(name)}: the team was closed`, {
    hint: "It is unchanged.",
  });
}

function notSummarized(name: string): string {
  return `The conversation of '${name}' was not summarized`;
}
