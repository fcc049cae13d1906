import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { cssColor } from "../../state/members.ts";
import { dayText } from "../../state/times.ts";
import "../../styles/sequence.css";
import type { MemberColors } from "../../hooks/use-member-looks.ts";
import { useSize } from "../../hooks/use-size.ts";
import { arrowOf, type Columns, columnsOf, participantsOf } from "./columns.ts";
import type { LoadedMessages } from "./message-feed.ts";
import { type MessageRow, rowIndexOf } from "./rows.ts";
import { leadIn, rowHeight, scrollToRow } from "./scrolling.ts";
import { SequenceRow } from "./sequence-row.tsx";
import { useSight } from "./use-sight.ts";

interface SequenceProps {
  feed: LoadedMessages & { older(): void };
  rows: readonly MessageRow[];
  cast: MemberColors;
  /** The id of the selected message. */
  selected: string | null;
  onSelect(id: string): void;
  /** The note at the beginning, and in an empty diagram. */
  beginning: ComponentChildren;
}

/** This close to the beginning, older messages are loaded. */
const nearRows = 30;

/** Messages as a sequence diagram: time runs down, every participant has a lifeline. */
export function Sequence({ feed, rows, cast, selected, onSelect, beginning }: SequenceProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSize(scroller);
  const columns = useColumns(feed, cast, size.width);
  const sight = useSight(scroller, rows, size.height);
  useOlder(scroller.current, feed, sight.first);
  const chosen = useMemo(() => rowIndexOf(rows, selected), [rows, selected]);
  // Keeps the selected message visible when the panel of details opens.
  useLayoutEffect(() => {
    if (chosen >= 0 && scroller.current) scrollToRow(scroller.current, chosen);
  }, [size.height]);
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(size.height / rowHeight) - 2);
    const target = keyTarget(event, { chosen, last: rows.length - 1, page, seen: sight.end - 1 });
    const row = target === null ? undefined : rows[target];
    if (target === null || !row || !scroller.current) return;
    event.preventDefault();
    onSelect(row.key);
    scrollToRow(scroller.current, target);
    bringIntoSight(scroller.current, columns, row);
  };
  const canvas = { rows, first: sight.first, end: sight.end, columns, cast, chosen };
  return (
    <div class="sequence-frame">
      <div class="sequence" ref={scroller} onScroll={sight.onScroll}>
        <Heads columns={columns} cast={cast} />
        <div class="sequence-beginning" style={{ height: `${leadIn}px` }}>
          <span>{beginning}</span>
        </div>
        <Canvas {...canvas} onSelect={onSelect} onKeyDown={onKeyDown} />
      </div>
      <ToEnd unseen={sight.unseen} onClick={() => toEnd(scroller.current)} />
    </div>
  );
}

function ToEnd({ unseen, onClick }: { unseen: number; onClick(): void }) {
  return (
    <button type="button" class="sequence-unseen" hidden={unseen === 0} onClick={onClick}>
      {unseen} new ↓
    </button>
  );
}

interface CanvasProps extends Pick<SequenceProps, "rows" | "cast" | "onSelect"> {
  /** The rows to draw: from `first` up to, but not including, `end`. */
  first: number;
  end: number;
  columns: Columns;
  /** The index of the selected row; -1 for none. */
  chosen: number;
  onKeyDown(event: KeyboardEvent): void;
}

function Canvas(props: CanvasProps) {
  const { rows, first, end, columns, cast, chosen, onSelect, onKeyDown } = props;
  return (
    <div
      class="sequence-canvas"
      role="listbox"
      aria-label="Messages, oldest first"
      aria-activedescendant={chosen >= first && chosen < end ? `message-row-${chosen}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      style={{ height: `${rows.length * rowHeight}px`, width: `${columns.width}px` }}
    >
      <Lifelines columns={columns} />
      {rows.slice(first, end).map((row, at) => (
        <SequenceRow
          key={row.key}
          row={row}
          index={first + at}
          count={rows.length}
          day={newDay(rows[first + at - 1], row)}
          top={(first + at) * rowHeight}
          columns={columns}
          color={cast.get(row.messages[0].from)?.color ?? null}
          isSelected={first + at === chosen}
          onSelect={onSelect}
        />
      ))}
    </div>
  );
}

function Heads({ columns, cast }: { columns: Columns; cast: MemberColors }) {
  return (
    <div class="sequence-heads" aria-hidden="true" style={{ width: `${columns.width}px` }}>
      <span class="sequence-corner" style={{ width: `${columns.timeWidth}px` }}>
        Sent
      </span>
      {columns.names.map((name) => (
        <span
          key={name}
          class="sequence-head"
          title={cast.get(name)?.role || undefined}
          style={{
            width: `${columns.columnWidth}px`,
            color: cssColor(cast.get(name)?.color ?? null),
          }}
        >
          <span>{name}</span>
        </span>
      ))}
    </div>
  );
}

/** All lifelines are one background image, since there may be hundreds. */
function Lifelines({ columns }: { columns: Columns }) {
  return (
    <div
      class="sequence-lifelines"
      role="presentation"
      style={{
        left: `${columns.timeWidth}px`,
        width: `${columns.names.length * columns.columnWidth}px`,
        backgroundSize: `${columns.columnWidth}px 8px`,
      }}
    />
  );
}

/**
 * Columns keep their identity until the participants change, so that rows are not rendered again.
 */
function useColumns({ messages }: LoadedMessages, cast: MemberColors, width: number): Columns {
  const names = useMemo(() => participantsOf(messages, [...cast.keys()]), [messages, cast]);
  const key = names.join("\n");
  // The key consists of the names.
  return useMemo(() => columnsOf(names, width), [key, width]);
}

function useOlder(element: HTMLElement | null, feed: SequenceProps["feed"], first: number): void {
  // The view may be near the beginning after scrolling.
  useEffect(() => {
    if (!element || !feed.hasOlder || feed.loading !== null || feed.problem !== null) return;
    if (element.scrollTop < nearRows * rowHeight) feed.older();
  }, [element, feed, first]);
}

function newDay(before: MessageRow | undefined, row: MessageRow): string {
  const [day, dayBefore] = [row, before].map((each) => {
    const at = each?.messages[0].sent_at ?? null;
    return at === null ? "" : dayText(at);
  });
  return day === undefined || day === dayBefore ? "" : day;
}

interface KeyPlace {
  chosen: number;
  last: number;
  page: number;
  /** The last visible row, where keys start if nothing is selected. */
  seen: number;
}

function toEnd(scroller: HTMLElement | null): void {
  scroller?.scrollTo({ top: scroller.scrollHeight });
  // The button disappears, so the focus moves first.
  scroller?.querySelector<HTMLElement>(".sequence-canvas")?.focus({ preventScroll: true });
}

/** The row that a key leads to. */
function keyTarget(event: KeyboardEvent, { chosen, last, page, seen }: KeyPlace): number | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const from = chosen >= 0 ? chosen : Math.min(seen, last);
  const within = (index: number) => Math.max(0, Math.min(last, index));
  switch (event.key) {
    case "ArrowDown":
      return within(from + 1);
    case "ArrowUp":
      return within(chosen >= 0 ? from - 1 : from);
    case "PageDown":
      return within(from + page);
    case "PageUp":
      return within(from - page);
    case "Home":
      return 0;
    case "End":
      return last;
    case "Enter":
    case " ":
      return within(from);
    default:
      return null;
  }
}

/** Scrolls sideways so that the start of the row's arrow is visible. */
function bringIntoSight(element: HTMLElement, columns: Columns, row: MessageRow): void {
  const to = row.messages.map((message) => message.to);
  const { left } = arrowOf(columns, { from: row.messages[0].from, to });
  const [start, end] = [
    element.scrollLeft + columns.timeWidth,
    element.scrollLeft + element.clientWidth,
  ];
  if (left < start || left > end - columns.columnWidth) {
    element.scrollLeft = left - columns.timeWidth - columns.columnWidth / 2;
  }
}
