import { useMemo } from "preact/hooks";
import { cssColor } from "../../state/members.ts";
import { timeOfDay } from "../../state/times.ts";
import { arrowHeight, arrowPaths, reach } from "./arrow-paths.ts";
import { type Arrow, arrowOf, type Columns } from "./columns.ts";
import { typeLabel } from "./message-groups.ts";
import type { MessageRow } from "./rows.ts";
import { firstWords, rowHeadText, sentenceOf } from "./words.ts";

export interface RowProps {
  row: MessageRow;
  index: number;
  count: number;
  /** The day, if it differs from that of the previous row. */
  day: string;
  top: number;
  columns: Columns;
  color: string | null;
  isSelected: boolean;
  onSelect(key: string): void;
}

/**
 * A message as a row of the diagram. It is rendered again only when something in it has changed.
 */
export function SequenceRow(props: RowProps) {
  const { row, index, count, day, top, columns, color, isSelected, onSelect } = props;
  return useMemo(() => {
    const [message] = row.messages;
    const arrow = arrowOf(columns, { from: message.from, to: row.messages.map(({ to }) => to) });
    return (
      // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the list has the focus and the keys.
      <div
        class="sequence-row"
        role="option"
        id={`message-row-${index}`}
        aria-label={sentenceOf(row)}
        aria-selected={isSelected}
        aria-posinset={index + 1}
        aria-setsize={count}
        data-state={message.state}
        style={{ top: `${top}px`, width: `${columns.width}px` }}
        onClick={() => onSelect(row.key)}
      >
        <TimeCell row={row} day={day} columns={columns} />
        <Words row={row} arrow={arrow} columns={columns} />
        <ArrowPicture row={row} arrow={arrow} columns={columns} color={cssColor(color)} />
      </div>
    );
  }, [row, index, count, day, top, columns, color, isSelected, onSelect]);
}

function TimeCell({ row, day, columns }: { row: MessageRow; day: string; columns: Columns }) {
  const [{ sent_at, from, to }, ...copies] = row.messages;
  const route = `${from} → ${copies.length > 0 ? `${copies.length + 1} members` : to}`;
  return (
    <div class="sequence-time" style={{ width: `${columns.timeWidth}px` }}>
      <span>
        {sent_at === null ? "no time" : timeOfDay(sent_at)}
        {columns.isWide && day && <small> {day}</small>}
      </span>
      <small title={columns.isWide ? route : undefined}>{columns.isWide ? route : day}</small>
    </div>
  );
}

/**
 * The text begins or ends with the arrow, and stays visible when the arrow is scrolled out of view.
 */
function Words({ row, arrow, columns }: { row: MessageRow; arrow: Arrow; columns: Columns }) {
  const [message] = row.messages;
  const { timeWidth, width, wordsWidth } = columns;
  const isLeft = arrow.anchor === "left";
  const gap = isLeft ? arrow.left - timeWidth : width - arrow.right;
  const spacer = <span style={{ flex: "none", width: `${gap}px` }} />;
  return (
    <div
      class="sequence-lane"
      data-anchor={arrow.anchor}
      style={{ left: `${timeWidth}px`, width: `${width - timeWidth}px` }}
    >
      {isLeft && spacer}
      <div class="sequence-words" style={{ left: `${timeWidth}px`, maxWidth: `${wordsWidth}px` }}>
        {message.type !== "message" && <span class="sequence-type">{typeLabel(message.type)}</span>}
        {firstWords(message) || <span class="sequence-none">no text</span>}
      </div>
      {!isLeft && spacer}
    </div>
  );
}

interface PictureProps {
  row: MessageRow;
  arrow: Arrow;
  columns: Columns;
  color: string;
}

function ArrowPicture({ row, arrow, columns, color }: PictureProps) {
  const heads = row.messages.map(({ to, state }) => ({
    x: columns.centre.get(to) ?? arrow.from,
    state,
  }));
  const paths = arrowPaths(arrow, heads);
  // After the head; if there are heads on both sides, after the rightmost one.
  const isRightward = arrow.right > arrow.from || arrow.left === arrow.right;
  const gap = arrow.left === arrow.right ? reach : 9;
  const place = isRightward
    ? { left: `${arrow.right + gap}px` }
    : { right: `${columns.width - arrow.left + gap}px` };
  return (
    <>
      <svg
        class="sequence-arrow"
        aria-hidden="true"
        width={arrow.right - arrow.left + 2 * reach}
        height={arrowHeight}
        style={{ left: `${arrow.left - reach}px`, color }}
      >
        <path class="line" d={paths.line} />
        <circle cx={arrow.from - arrow.left + reach} cy={paths.startY} r="2.5" />
        {paths.seen && <path class="seen" d={paths.seen} />}
        {paths.queued && <path class="queued" d={paths.queued} />}
        {paths.stopped && <path class="stopped" d={paths.stopped} />}
      </svg>
      <span class="sequence-fate" style={place}>
        {rowHeadText(row)}
      </span>
    </>
  );
}
