import { missingEntries, voidEntries } from "../../lib/missing-entries.ts";
import { type MemberName, user } from "../../protocol/ids.ts";
import { isNews } from "../../protocol/message-types.ts";
import type { ReplyBlock, TranscriptEntry } from "../../protocol/transcript.ts";
import type { TalkItem } from "./event-items.ts";

/** Turns the entries of a member's transcript into the items that were shown when they were made. */
export class EntryItems {
  readonly #member: MemberName;
  /** The calls without a result, by id. */
  readonly #calls = new Map<string, { name: string; input: unknown }>();

  constructor(member: MemberName) {
    this.#member = member;
  }

  itemsOf(entry: TranscriptEntry): TalkItem[] {
    switch (entry.type) {
      case "delivery":
        return isNews(entry.message) ? [this.#delivered(entry)] : [];
      case "reply":
        return entry.blocks.flatMap((block) => this.#said(block));
      case "tool-result":
        return [this.#result(entry)];
      case "note":
        return [notice(entry.text)];
      case "gap":
        return [{ type: "notice", text: missingEntries(entry.lost), tone: "bad" }];
      case "run-end":
        return entry.outcome === "done" ? [] : [notice(endOf(entry))];
      case "compaction":
        return entry.cleared
          ? [notice("the conversation so far was cleared")]
          : [notice("the conversation so far was summarized:"), text(entry.summary)];
      case "rewind":
        return [notice(voidEntries(entry.voids))];
      case "images-refused":
        return [notice(`images are left out: ${entry.reason}`)];
      case "tool-start":
        this.#change(entry);
        return [];
      case "profile":
      case "run-start":
      case "run-settled":
        return [];
    }
  }

  #delivered({ message }: Extract<TranscriptEntry, { type: "delivery" }>): TalkItem {
    const { from, to, type: kind, content, id } = message;
    if (from === user) return { type: "typed", text: content, to: this.#member };
    return { type: "mail", id, from, to, kind, preview: content, isWhole: true };
  }

  #said(block: ReplyBlock): TalkItem[] {
    switch (block.type) {
      case "text":
        return block.text.trim() === "" ? [] : [text(block.text)];
      case "thinking":
        return block.text.trim() === "" ? [] : [{ type: "thought", text: block.text }];
      case "tool-call": {
        const { call_id: callId, name, input } = block;
        this.#calls.set(callId, { name, input });
        return [{ type: "call", callId, name, input }];
      }
    }
  }

  /** What runs is what a program's hook made of the call. */
  #change({ call_id, input }: Extract<TranscriptEntry, { type: "tool-start" }>): void {
    const call = this.#calls.get(call_id);
    if (call && input !== undefined) this.#calls.set(call_id, { ...call, input });
  }

  #result(entry: Extract<TranscriptEntry, { type: "tool-result" }>): TalkItem {
    const { call_id: callId, output, is_error: isError } = entry;
    const { name, input } = this.#calls.get(callId) ?? { name: "", input: undefined };
    this.#calls.delete(callId);
    return { type: "result", callId, name, input, output, isError };
  }
}

function text(source: string): TalkItem {
  return { type: "text", source };
}

function notice(words: string): TalkItem {
  return { type: "notice", text: words, tone: "quiet" };
}

function endOf({ outcome, reason }: Extract<TranscriptEntry, { type: "run-end" }>): string {
  return reason ? `${outcome}: ${reason}` : outcome;
}
