import { MarkdownStream } from "../../lib/markdown-stream.ts";
import { sentences } from "../../lib/sentences.ts";
import { shortCount } from "../../protocol/amounts.ts";
import { previewCharacters } from "../../protocol/event-preview.ts";
import type {
  AgentEvent,
  CompactionEndEvent,
  HookRunEvent,
  LandingChangeEvent,
  MemberChangeEvent,
  MessageSentEvent,
  RunEndEvent,
  ToolCallEvent,
  ToolResultEvent,
} from "../../protocol/events.ts";
import { lead, type MemberName, type MessageId, user } from "../../protocol/ids.ts";
import { tellingReason } from "../../protocol/landing.ts";
import { isNews } from "../../protocol/message-types.ts";
import { hookText } from "../render/hook-text.ts";

/** One thing to show of what a member says and does. */
export type TalkItem =
  | { type: "typed"; text: string; to: string }
  /** Text of the member, in Markdown: one or more whole blocks. */
  | { type: "text"; source: string }
  /** What the member has thought before it continued. */
  | { type: "thought"; text: string }
  | { type: "call"; callId: string; name: string; input: unknown }
  | {
      type: "result";
      callId: string;
      name: string;
      input: unknown;
      output: string;
      isError: boolean;
    }
  | {
      type: "mail";
      id: MessageId;
      from: MemberName;
      to: MemberName;
      kind: string;
      /** The content, or its beginning. */
      preview: string;
      isWhole: boolean;
    }
  /** The member was shut down. */
  | { type: "ended"; reason: string | undefined }
  | { type: "notice"; text: string; tone: NoticeTone };

type NoticeTone = "quiet" | "good" | "bad";

/** An item, and the member in whose view it belongs. */
export interface MemberItem {
  member: MemberName;
  item: TalkItem;
}

/** Turns the events of a team into items to show. */
export class EventItems {
  readonly #isOnScreen: (id: MessageId) => boolean;
  readonly #texts = new Map<MemberName, MarkdownStream>();
  readonly #thoughts = new Map<MemberName, string>();
  /** The calls without a result, by member and id. */
  readonly #calls = new Map<string, { name: string; input: unknown }>();

  readonly #ended = new Set<MemberName>();
  /** The members that write a summary of their conversation, and how many tokens that has. */
  readonly #summarizing = new Map<MemberName, number>();

  /** `isOnScreen` is true for a message that the person has typed here. */
  constructor(isOnScreen: (id: MessageId) => boolean) {
    this.#isOnScreen = isOnScreen;
  }

  itemsOf(event: AgentEvent): MemberItem[] {
    const { member = lead } = event;
    return this.#items(event, member).map((item) => ({ member, item }));
  }

  /** The unfinished text of a member; only the end if it is long. */
  unfinished(member: MemberName): string {
    return this.#texts.get(member)?.tail ?? "";
  }

  /** The thought that a member has at the moment. */
  unfinishedThought(member: MemberName): string {
    return this.#thoughts.get(member) ?? "";
  }

  #items(event: AgentEvent, member: MemberName): TalkItem[] {
    if (endsSummary(event)) this.#summarizing.delete(member);
    switch (event.type) {
      case "text-delta":
        // A summary is said to nobody.
        if (this.#summarizing.has(member)) return [];
        return [...this.#endThought(member), ...textItems(this.#textOf(member).push(event.text))];
      case "thinking-delta":
        if (this.#summarizing.has(member)) return [];
        this.#thoughts.set(member, this.unfinishedThought(member) + event.text);
        return [];
      case "tool-call":
        return [...this.#finish(member), this.#call(event, member)];
      case "tool-result":
        return [this.#result(event, member)];
      case "turn-end":
        return this.#finish(member);
      case "reply-restart":
        return this.#startOver(member, event.reason);
      case "message-sent":
        return this.#isOnScreen(event.id) || this.#isToldEnd(event) ? [] : mailItems(event);
      case "run-end":
        return [...this.#finish(member), ...endItems(event)];
      case "member-change":
        if (event.status === "shutdown") this.#ended.add(member);
        else this.#ended.delete(member);
        return changeItems(event);
      case "compaction-start":
        this.#summarizing.set(member, event.context_tokens);
        return [...this.#finish(member), notice("summarizes the conversation")];
      case "compaction-end":
        return [this.#summarized(event, member)];
      case "clear":
        return [notice("starts again with an empty conversation; /rewind goes back to before it")];
      case "model-change":
        return [notice(`${event.to} answers instead of ${event.from}: ${event.reason}`, "bad")];
      case "model-set": {
        const { model, effort = "default" } = event;
        return [notice(`model from its next request on: ${model}, effort ${effort}`)];
      }
      case "task-change":
        return [notice(`task ${event.id} is ${event.status}`)];
      case "landing-change":
        return landingItems(event, member);
      case "rule-change":
        return [notice(`rule ${event.change}: ${event.decision} ${event.rule}`)];
      case "mode-change":
        return [notice(`permission mode: ${event.mode}`)];
      case "rewind":
        return [notice("went back to an earlier prompt")];
      case "message-returned":
        return [notice("ended without reading a message, which was returned", "bad")];
      case "line-set-aside":
        return [notice(`a line in its mailbox was set aside: ${event.reason}`, "bad")];
      case "hook":
        return hookItems(event);
      case "warning":
        return [notice(sentences(event.message, event.hint), "bad")];
      case "message-delivered":
      case "message-withdrawn":
      case "request-change":
      case "run-start":
      case "turn-start":
      case "model-wait":
      case "model-call":
      case "tool-output":
        return [];
    }
  }

  #summarized({ context_tokens: after }: CompactionEndEvent, member: MemberName): TalkItem {
    const before = this.#summarizing.get(member);
    this.#summarizing.delete(member);
    const sizes =
      before === undefined || after === undefined
        ? ""
        : `: about ${shortCount(before)} tokens are now ${shortCount(after)}`;
    return notice(`summarized the conversation${sizes}; /log shows the summary`);
  }

  /** True for the mail about an end that its event has told already. */
  #isToldEnd({ message_type, preview = "" }: Extract<AgentEvent, { type: "message-sent" }>) {
    if (message_type !== "teammate_terminated") return false;
    return [...this.#ended].some((name) => preview.startsWith(`${name} `));
  }

  #textOf(member: MemberName): MarkdownStream {
    const known = this.#texts.get(member);
    if (known) return known;
    const text = new MarkdownStream();
    this.#texts.set(member, text);
    return text;
  }

  #finish(member: MemberName): TalkItem[] {
    const rest = this.#texts.get(member)?.end() ?? [];
    this.#texts.delete(member);
    return [...this.#endThought(member), ...textItems(rest)];
  }

  #endThought(member: MemberName): TalkItem[] {
    const text = this.unfinishedThought(member);
    this.#thoughts.delete(member);
    return text.trim() === "" ? [] : [{ type: "thought", text }];
  }

  #startOver(member: MemberName, reason: string): TalkItem[] {
    const hasBegun = this.#texts.has(member) || this.#thoughts.has(member);
    this.#texts.delete(member);
    this.#thoughts.delete(member);
    return [notice(`${hasBegun ? "starts its reply again" : "asks again"}: ${reason}`)];
  }

  #call(event: ToolCallEvent, member: MemberName): TalkItem {
    const { call_id: callId, name, input } = event;
    this.#calls.set(`${member} ${callId}`, { name, input });
    return { type: "call", callId, name, input };
  }

  #result(event: ToolResultEvent, member: MemberName): TalkItem {
    const { call_id: callId, output, is_error: isError } = event;
    const key = `${member} ${callId}`;
    const { name, input } = this.#calls.get(key) ?? { name: "", input: undefined };
    this.#calls.delete(key);
    return { type: "result", callId, name, input, output, isError };
  }
}

function textItems(sources: readonly string[]): TalkItem[] {
  return sources
    .filter((source) => source.trim() !== "")
    .map((source) => ({ type: "text", source }));
}

/** True for what comes after a summary, also where there is none in the end. */
function endsSummary(event: AgentEvent): boolean {
  if (event.type === "member-change") return event.status !== "working";
  return event.type === "turn-start" || event.type === "run-end";
}

function notice(text: string, tone: NoticeTone = "quiet"): TalkItem {
  return { type: "notice", text, tone };
}

function hookItems(event: HookRunEvent): TalkItem[] {
  const line = hookText(event);
  return line === undefined ? [] : [notice(line, event.outcome === "passed" ? "quiet" : "bad")];
}

/** Messages for the runtime only are left out. */
function mailItems(event: MessageSentEvent): TalkItem[] {
  const { id, member: from, to, message_type: kind, preview = "" } = event;
  if (from === undefined || !isNews({ type: kind })) return [];
  // The change of the landing is shown once, not for everybody who is told.
  if (kind === "landing_notification") return [];
  // Answers are shown with their questions.
  if (from === user && kind === "plan_approval_response") return [];
  if (from === user && kind === "shutdown_request") {
    const order = { kind: "message", preview: to === lead ? "stop everybody" : "stop" };
    return [{ type: "mail", id, from, to, ...order, isWhole: true }];
  }
  // One that would end in the middle of a character is a unit shorter.
  const isWhole = preview.length < previewCharacters - 1;
  return [{ type: "mail", id, from, to, kind, preview, isWhole }];
}

function endItems({ outcome, reason, hint }: RunEndEvent): TalkItem[] {
  if (outcome === "done") return [];
  const tone = outcome === "interrupted" ? "quiet" : "bad";
  return [notice(sentences(reason ? `${outcome}: ${reason}` : outcome, hint), tone)];
}

function changeItems(event: MemberChangeEvent): TalkItem[] {
  const { status, detail } = event;
  if (status === "shutdown") return [{ type: "ended", reason: detail }];
  // A failed run is shown by its end.
  return [];
}

/** How a landing has got on, as far as it changes something for the person. */
function landingItems(
  { id, state, target, reason }: LandingChangeEvent,
  member: MemberName,
): TalkItem[] {
  const telling = tellingReason(reason);
  const why = telling ? `: ${telling}` : "";
  switch (state) {
    case "landed":
      return [notice(`landing ${id} is on ${target} now; /land brings it to you`, "good")];
    case "taken":
      if (!reason) return [];
      return [
        notice(
          `landing ${id} waits for you${why}. /changes shows it, /land ${member} lets it land`,
          "bad",
        ),
      ];
    case "conflict":
      return [notice(`landing ${id} conflicts with ${target}`, "bad")];
    case "rejected":
      return [notice(`landing ${id} has not passed the check`, "bad")];
    case "failed":
      return [notice(`landing ${id} does not land${why}`, "bad")];
    case "discarded":
      return [notice(`landing ${id} was discarded${why}`)];
    case "merged":
    case "replaced":
      return [];
  }
}
