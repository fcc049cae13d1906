import type { EntriesPage, EntryView, ReplyBlockView } from "../../src/protocol/dashboard.ts";
import type { Outcome } from "../../src/protocol/message.ts";

/** A second of the day on which everything in these tests happens. */
export function second(count: number): string {
  return new Date(Date.UTC(2026, 0, 5, 12, 0, count)).toISOString();
}

interface Place {
  cursor: string;
  at?: string | null;
}

export function note({ cursor, at = second(Number(cursor)) }: Place, text = cursor): EntryView {
  return { cursor, at, type: "note", text };
}

export function runStart({ cursor, at = second(Number(cursor)) }: Place): EntryView {
  return { cursor, at, type: "run-start" };
}

export function runEnd(
  { cursor, at = second(Number(cursor)) }: Place,
  outcome: Outcome = "done",
): EntryView {
  return { cursor, at, type: "run-end", outcome, reason: null };
}

export function reply(
  { cursor, at = second(Number(cursor)) }: Place,
  ...blocks: readonly ReplyBlockView[]
): EntryView {
  return { cursor, at, type: "reply", blocks, stop: "end", usage: null };
}

export function call(call_id: string, input = "{}"): ReplyBlockView {
  return { type: "tool-call", call_id, name: "bash", summary: "ls", input, diff: null };
}

export function result(
  { cursor, at = second(Number(cursor)) }: Place,
  call_id: string,
  output = "",
): EntryView {
  const rest = { output, is_cut: false, is_error: false, images: [] };
  return { cursor, at, type: "tool-result", call_id, ...rest };
}

/** Notes with the cursors from `from` to before `to`. */
export function notes(from: number, to: number): EntryView[] {
  return Array.from({ length: to - from }, (_, index) => note({ cursor: String(from + index) }));
}

export function pageOf(
  entries: readonly EntryView[],
  rest: Partial<EntriesPage> = {},
): EntriesPage {
  const [first, last] = [entries[0], entries.at(-1)];
  const before = first && first.cursor !== "0" ? first.cursor : null;
  return {
    member: "ada",
    entries,
    before,
    after: last?.cursor ?? "",
    is_restarted: false,
    ...rest,
  };
}
