import { firstWords } from "../../lib/cut-text.ts";
import { missingEntries, voidEntries } from "../../lib/missing-entries.ts";
import { summarizeCall } from "../../lib/summarize-call.ts";
import { showHidden } from "../../permissions/show-hidden.ts";
import type { EntryView, ReplyBlockView } from "../../protocol/dashboard.ts";
import type { ReplyBlock, TranscriptEntry } from "../../protocol/transcript.ts";
import type { ListedEntry } from "../../team/view/team-view.ts";
import { diffOfCall } from "./diff-lines.ts";
import { mailView } from "./message-view.ts";

const maxOutput = 20_000;
const maxText = 100_000;
const maxSummary = 200;

/** A record of a transcript for a person; undefined for one that only troupe itself needs. */
export function entryView({ cursor, entry, damage }: ListedEntry): EntryView | undefined {
  if (!entry) return { cursor, at: null, type: "damaged", reason: damage };
  const shown = bodyOf(entry);
  return shown && { cursor, at: entry.at, ...shown };
}

type EntryViewBody = EntryView extends infer View
  ? View extends EntryView
    ? Omit<View, "cursor" | "at">
    : never
  : never;

function bodyOf(entry: TranscriptEntry): EntryViewBody | undefined {
  switch (entry.type) {
    case "profile":
      return { type: "profile", system: text(entry.system), model: entry.model };
    case "delivery":
      return {
        type: "mail",
        message: mailView(entry.message, { state: "delivered", seenAt: entry.at, isWhole: true }),
      };
    case "note":
      return { type: "note", text: text(entry.text) };
    case "gap":
      return { type: "damaged", reason: missingEntries(entry.lost) };
    case "run-start":
      return { type: "run-start" };
    case "run-end":
      return { type: "run-end", outcome: entry.outcome, reason: textOrNull(entry.reason) };
    case "reply": {
      const { stop, usage = null } = entry;
      return { type: "reply", blocks: entry.blocks.map(blockView), stop, usage };
    }
    case "tool-result": {
      const { call_id, output, is_error, images = [] } = entry;
      const shown = firstWords(output, maxOutput);
      const is_cut = shown.length < output.length;
      const kinds = images.map(({ media_type }) => media_type);
      return { type: "tool-result", call_id, output: shown, is_cut, is_error, images: kinds };
    }
    case "compaction":
      return entry.cleared
        ? { type: "note", text: "The conversation so far was cleared." }
        : { type: "compaction", summary: text(entry.summary) };
    case "rewind":
      return { type: "note", text: voidEntries(entry.voids) };
    case "images-refused":
      return { type: "note", text: text(`Images are left out: ${entry.reason}`) };
    case "tool-start":
      if (entry.input === undefined) return undefined;
      return { type: "note", text: text(`${changedInput}: ${inputText(entry.input)}`) };
    case "run-settled":
      return undefined;
  }
}

function blockView(block: ReplyBlock): ReplyBlockView {
  if (block.type !== "tool-call") return { type: block.type, text: text(block.text) };
  const { type, call_id, name, input } = block;
  const summary = showHidden(firstWords(summarizeCall(name, input), maxSummary));
  return {
    type,
    call_id,
    name,
    summary,
    input: text(inputText(input)),
    diff: diffOfCall(name, input),
  };
}

const changedInput = "A hook of the program changed the input of the call, which is run with";

function inputText(input: unknown): string {
  return showHidden(JSON.stringify(input, null, 2) ?? "");
}

function text(whole: string): string {
  return firstWords(whole, maxText);
}

function textOrNull(whole: string | undefined): string | null {
  return whole === undefined ? null : text(whole);
}

/** Whether the shown text of an entry contains `wanted`, which is in lower case. */
export function entryHas(view: EntryView, wanted: string): boolean {
  return textsOf(view).some((each) => each.toLowerCase().includes(wanted));
}

function textsOf(view: EntryView): string[] {
  switch (view.type) {
    case "profile":
      return [view.system, view.model];
    case "mail":
      return [view.message.from, view.message.text];
    case "note":
      return [view.text];
    case "run-start":
      return [];
    case "run-end":
      return [view.outcome, view.reason ?? ""];
    case "reply":
      return view.blocks.flatMap((block) =>
        block.type === "tool-call" ? [block.name, block.input] : [block.text],
      );
    case "tool-result":
      return [view.output];
    case "compaction":
      return [view.summary];
    case "damaged":
      return [view.reason];
  }
}
