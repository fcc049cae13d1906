import type { EntryView, MessageView, ReplyBlockView } from "../../../../src/protocol/dashboard.ts";
import { between } from "../../state/durations.ts";
import { blockTexts, isIn } from "./highlight.ts";

type EntryOf<Type extends EntryView["type"]> = Extract<EntryView, { type: Type }>;
type ToolCallView = Extract<ReplyBlockView, { type: "tool-call" }>;
export type ToolResultView = EntryOf<"tool-result">;

/** What a row shows. A reply makes a row for each of its blocks; a result is part of its call's row. */
export type RowBody =
  | { type: "run-start"; end: EntryOf<"run-end"> | null; durationMs: number | null; calls: number }
  | { type: "run-end"; entry: EntryOf<"run-end">; durationMs: number | null }
  | { type: "mail"; message: MessageView }
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | {
      type: "call";
      call: ToolCallView;
      result: ToolResultView | null;
      durationMs: number | null;
      /** True if its run has ended, so that no result will follow. */
      isLost: boolean;
    }
  /** A result whose call is not loaded. */
  | { type: "result"; result: ToolResultView }
  /** Why a reply ended, if that is unusual. */
  | { type: "stop"; entry: EntryOf<"reply"> }
  | { type: "profile"; entry: EntryOf<"profile"> }
  | { type: "note"; text: string }
  | { type: "compaction"; summary: string }
  | { type: "damaged"; reason: string };

/** One row of the view with its folded content. */
export interface TranscriptRow {
  /** Stays the same when other entries are loaded. */
  key: string;
  /** The cursor of its entry. */
  cursor: string;
  at: string | null;
  /** The key of its run's first row; null outside of runs or if that row is not loaded. */
  run: string | null;
  body: RowBody;
}

/** The rows of these entries, in order. */
export function rowsOf(entries: readonly EntryView[]): TranscriptRow[] {
  const results = resultsOf(entries);
  const runs = runsOf(entries);
  return entries.flatMap((entry, index) => {
    const run = runs[index] ?? null;
    const row = (body: RowBody, part = ""): TranscriptRow => ({
      key: `${entry.cursor}${part}`,
      cursor: entry.cursor,
      at: entry.at,
      run: run?.key ?? null,
      body,
    });
    if (entry.type !== "reply") return bodiesOf(entry, { run, results }).map((body) => row(body));
    const isOver = run ? run.end !== null : false;
    return replyBodies(entry, { results, isOver }).map((body, part) => row(body, `/${part}`));
  });
}

/** The rows that are not in a folded run. */
export function rowsShown(
  rows: readonly TranscriptRow[],
  isFolded: (run: string) => boolean,
): TranscriptRow[] {
  return rows.filter(({ key, run, body }) => {
    const isFrame = key === run || body.type === "run-end";
    return isFrame || run === null || !isFolded(run);
  });
}

/** The row with the match of `search` in an entry. A result is in the row of its call. */
export function rowWith(
  rows: readonly TranscriptRow[],
  entry: EntryView,
  search: string,
): TranscriptRow | null {
  const its = rows.filter(
    ({ cursor, body }) =>
      cursor === entry.cursor || (body.type === "call" && body.result?.cursor === entry.cursor),
  );
  const saying = its.find(({ body }) => {
    if (body.type === "call") return isIn(blockTexts(body.call), search);
    return (body.type === "text" || body.type === "thinking") && isIn([body.text], search);
  });
  return saying ?? its[0] ?? null;
}

/** `rows`, in which rows equal to those in `known` are replaced by these objects. */
export function sameRows(
  rows: readonly TranscriptRow[],
  known: readonly TranscriptRow[],
): TranscriptRow[] {
  const byKey = new Map(known.map((row) => [row.key, row]));
  return rows.map((row) => {
    const before = byKey.get(row.key);
    return before && isSame(before, row) ? before : row;
  });
}

function isSame(a: TranscriptRow, b: TranscriptRow): boolean {
  return a.at === b.at && a.run === b.run && isShallowEqual(a.body, b.body);
}

function isShallowEqual(a: object, b: object): boolean {
  const others = new Map<string, unknown>(Object.entries(b));
  const members = Object.entries(a);
  return (
    members.length === others.size &&
    members.every(([key, value]) => Object.is(value, others.get(key)))
  );
}

interface Run {
  key: string;
  start: EntryOf<"run-start">;
  end: EntryOf<"run-end"> | null;
  calls: number;
}

/** For each entry, its run. */
function runsOf(entries: readonly EntryView[]): readonly (Run | null)[] {
  let run: Run | null = null;
  return entries.map((entry) => {
    if (entry.type === "run-start") run = { key: entry.cursor, start: entry, end: null, calls: 0 };
    const its: Run | null = run;
    if (its && entry.type === "reply") its.calls += entry.blocks.filter(isCall).length;
    if (entry.type === "run-end") {
      if (its) its.end = entry;
      run = null;
    }
    return its;
  });
}

function isCall(block: ReplyBlockView): block is ToolCallView {
  return block.type === "tool-call";
}

interface Results {
  /**
   * By the reply's cursor and the call's id, since some providers restart call ids in each reply.
   */
  ofCall: ReadonlyMap<string, ToolResultView>;
  /** The results whose call is among the entries. */
  placed: ReadonlySet<ToolResultView>;
}

function resultsOf(entries: readonly EntryView[]): Results {
  const open = new Map<string, string>();
  const ofCall = new Map<string, ToolResultView>();
  const placed = new Set<ToolResultView>();
  for (const entry of entries) {
    if (entry.type === "reply") {
      for (const call of entry.blocks.filter(isCall)) open.set(call.call_id, keyOf(entry, call));
    }
    const key = entry.type === "tool-result" ? open.get(entry.call_id) : undefined;
    if (entry.type !== "tool-result" || key === undefined) continue;
    open.delete(entry.call_id);
    ofCall.set(key, entry);
    placed.add(entry);
  }
  return { ofCall, placed };
}

function keyOf(reply: EntryOf<"reply">, call: ToolCallView): string {
  return `${reply.cursor}/${call.call_id}`;
}

function bodiesOf(
  entry: Exclude<EntryView, { type: "reply" }>,
  { run, results }: { run: Run | null; results: Results },
): RowBody[] {
  const durationMs = run?.end ? between(run.start.at, run.end.at) : null;
  switch (entry.type) {
    case "run-start":
      return [{ type: entry.type, end: run?.end ?? null, durationMs, calls: run?.calls ?? 0 }];
    case "run-end":
      return [{ type: entry.type, entry, durationMs }];
    case "mail":
      return [{ type: entry.type, message: entry.message }];
    case "tool-result":
      return results.placed.has(entry) ? [] : [{ type: "result", result: entry }];
    case "profile":
      return [{ type: entry.type, entry }];
    case "note":
      return [{ type: entry.type, text: entry.text }];
    case "compaction":
      return [{ type: entry.type, summary: entry.summary }];
    case "damaged":
      return [{ type: entry.type, reason: entry.reason }];
  }
}

function replyBodies(
  reply: EntryOf<"reply">,
  { results, isOver }: { results: Results; isOver: boolean },
): RowBody[] {
  const bodies = reply.blocks
    .filter((block) => block.type === "tool-call" || block.text.trim() !== "")
    .map((block): RowBody => {
      if (block.type !== "tool-call") return { type: block.type, text: block.text };
      const result = results.ofCall.get(keyOf(reply, block)) ?? null;
      const durationMs = result ? between(reply.at, result.at) : null;
      return { type: "call", call: block, result, durationMs, isLost: !result && isOver };
    });
  const isOrdinary = reply.stop === "end" || reply.stop === "tool-calls";
  return isOrdinary && bodies.length > 0 ? bodies : [...bodies, { type: "stop", entry: reply }];
}
