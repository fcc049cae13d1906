import type { Doing } from "../protocol/dashboard.ts";
import type { AgentEvent, ToolCallEvent } from "../protocol/events.ts";
import { totalTokens } from "../protocol/usage.ts";
import { firstCharacters, firstWords } from "./cut-text.ts";
import { summarizeCall } from "./summarize-call.ts";

/** What a member is doing, according to its events. */
export interface Activity {
  isRunning: boolean;
  doing: Doing | null;
  /** Set while it waits for its provider. */
  waitsFor: string | null;
  /** The calls that run, oldest first. */
  calls: readonly (Doing & { call_id: string })[];
  lastActivity: string | null;
  /** The context's size after the last turn; undefined if no event has reported it. */
  contextTokens: number | undefined;
}

export const noActivity: Activity = {
  isRunning: false,
  doing: null,
  waitsFor: null,
  calls: [],
  lastActivity: null,
  contextTokens: undefined,
};

const maxText = 200;

/** The activity of a member after `event`, which is one of its own. */
export function afterEvent(activity: Activity, event: AgentEvent): Activity {
  const now = { ...activity, lastActivity: event.at };
  switch (event.type) {
    case "run-start":
      return { ...now, ...at(now, "starts", event.at), isRunning: true, calls: [] };
    case "turn-start":
      return { ...now, ...at(now, "thinks", event.at), calls: [] };
    case "thinking-delta":
      return { ...now, ...at(now, "thinks", event.at) };
    case "text-delta":
      return { ...now, ...at(now, "writes", event.at) };
    case "model-change":
      return { ...now, ...at(now, "asks another model", event.at) };
    case "reply-restart":
      return { ...now, ...at(now, "asks again", event.at) };
    case "model-set":
      return now;
    case "model-wait":
      return { ...now, isRunning: true, doing: null, waitsFor: providerText(event.reason) };
    case "tool-call":
      return withCalls(now, [...now.calls, callOf(event)]);
    case "tool-output":
      return now;
    case "tool-result":
      return withCalls(
        now,
        now.calls.filter(({ call_id }) => call_id !== event.call_id),
      );
    case "turn-end":
      return { ...now, contextTokens: totalTokens(event.usage) };
    case "compaction-start":
      return { ...now, ...at(now, "summarizes its conversation", event.at) };
    case "compaction-end":
      return { ...now, ...at(now, "thinks", event.at), contextTokens: event.context_tokens };
    case "clear":
      return { ...now, contextTokens: undefined };
    case "run-end":
      return { ...now, ...atRest };
    case "member-change":
      return event.status === "working" ? { ...now, isRunning: true } : { ...now, ...atRest };
    // These are about a member, but not done by it.
    case "message-returned":
    case "message-withdrawn":
    case "line-set-aside":
    case "task-change":
    case "landing-change":
    case "rule-change":
    case "mode-change":
    case "rewind":
    case "hook":
    case "model-call":
    case "warning":
      return activity;
    case "message-sent":
    case "message-delivered":
    case "request-change":
      return now;
  }
}

const atRest = { isRunning: false, doing: null, waitsFor: null, calls: [] };

/** `since` keeps its value as long as the text is the same. */
function at({ doing }: Activity, text: string, since: string): Partial<Activity> {
  const isSame = doing?.text === text && doing.tool === null;
  return {
    isRunning: true,
    waitsFor: null,
    doing: isSame ? doing : { text, tool: null, since },
  };
}

function callOf({ call_id, name, input, at: since }: ToolCallEvent): Activity["calls"][number] {
  const text = firstWords(summarizeCall(name, input), maxText);
  return { call_id, tool: firstCharacters(name, maxText), text, since };
}

function providerText(reason: string): string {
  return `its provider (${firstCharacters(reason, maxText)})`;
}

/** Shows the newest call; without any, the member thinks about the results. */
function withCalls(activity: Activity, calls: Activity["calls"]): Activity {
  const newest = calls.at(-1);
  if (!newest) {
    const since = activity.lastActivity ?? "";
    return { ...activity, calls, ...at({ ...activity, doing: null }, "thinks", since) };
  }
  const { call_id: _, ...doing } = newest;
  return { ...activity, isRunning: true, waitsFor: null, calls, doing };
}
