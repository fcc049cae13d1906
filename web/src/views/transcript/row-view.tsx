import type { MessageView } from "../../../../src/protocol/dashboard.ts";
import type { RunOutcome } from "../../../../src/protocol/message.ts";
import { Prose } from "../../parts/prose.tsx";
import { RenderOnChange } from "../../parts/render-on-change.ts";
import { counted } from "../../state/amounts.ts";
import { durationText } from "../../state/durations.ts";
import { typeLabel } from "../messages/message-groups.ts";
import { Fold } from "./fold.tsx";
import type { RowBody, TranscriptRow } from "./rows.ts";
import { Marked, timeNow, words } from "./text.tsx";
import { ToolCall, ToolResult } from "./tool-call.tsx";

/** A row of the transcript. It is rendered again only when the row object changes. */
export function RowView({ row, isTarget }: { row: TranscriptRow; isTarget: boolean }) {
  return (
    <RenderOnChange
      of={[row, isTarget]}
      draw={() => (
        <article
          class={`row ${row.body.type}${isTarget ? " is-target" : ""}`}
          data-key={row.key}
          aria-label={labelOf(row)}
          {...(isFolding(row.body) ? {} : { "data-row": true, tabIndex: -1 })}
        >
          <RowContent row={row} />
        </article>
      )}
    />
  );
}

/** Rows with a fold line take the focus on that line. */
function isFolding({ type }: RowBody): boolean {
  switch (type) {
    case "run-start":
    case "thinking":
    case "call":
    case "profile":
    case "compaction":
      return true;
    case "run-end":
    case "mail":
    case "text":
    case "result":
    case "stop":
    case "note":
    case "damaged":
      return false;
  }
}

const names: Readonly<Record<RowBody["type"], string>> = {
  "run-start": "Run",
  "run-end": "End of the run",
  mail: "Mail",
  text: "Reply",
  thinking: "Thoughts",
  call: "Tool call",
  result: "Result of an earlier call",
  stop: "End of the reply",
  profile: "Profile",
  note: "Note",
  compaction: "Compaction",
  damaged: "Damaged line",
};

function labelOf({ at, body }: TranscriptRow): string {
  const name = body.type === "mail" ? `Mail from ${body.message.from}` : names[body.type];
  return at === null ? name : `${name}, ${timeNow(at)}`;
}

function RowContent({ row }: { row: TranscriptRow }) {
  const { body } = row;
  switch (body.type) {
    case "run-start":
      return <RunStart row={row} body={body} />;
    case "run-end":
      return <RunEnd body={body} />;
    case "mail":
      return <Letter message={body.message} />;
    case "text":
      return (
        <>
          {row.at !== null && <time dateTime={row.at}>{timeNow(row.at)}</time>}
          <Prose text={body.text} />
        </>
      );
    case "thinking":
      return <Folded id={row.key} name="Thoughts" teaser={body.text} text={body.text} />;
    case "call":
      return <ToolCall row={row} body={body} />;
    case "result":
      return <ToolResult result={body.result} />;
    case "stop":
      return <p class="aside">{stops[body.entry.stop]}</p>;
    case "profile":
      return (
        <Folded id={row.key} name={`Profile (${body.entry.model})`} text={body.entry.system} />
      );
    case "note":
      return <Note name="Note" text={body.text} />;
    case "compaction":
      return <Folded id={row.key} name="The context was compacted" text={body.summary} />;
    case "damaged":
      return <Note name="An unreadable line" text={body.reason} />;
  }
}

const stops = {
  end: "An empty reply.",
  "tool-calls": "An empty reply.",
  length: "The reply reached the output limit and was cut off.",
  refusal: "The provider refused to answer.",
  pause: "The provider paused the reply and expects to be asked again.",
  overflow: "The context was full.",
  other: "The reply ended for a reason the provider did not name.",
} as const;

interface FoldedProps {
  id: string;
  name: string;
  /** The text that is shown while it is folded. */
  teaser?: string;
  text: string;
}

function Folded({ id, name, teaser = "", text }: FoldedProps) {
  const line = (
    <>
      <span class="teaser-name">{name}</span>
      <span class="call-summary">{teaser.slice(0, 200).replace(/\s+/g, " ")}</span>
    </>
  );
  return (
    <Fold id={id} line={line}>
      <Prose text={text} />
    </Fold>
  );
}

function Note({ name, text }: { name: string; text: string }) {
  return (
    <>
      <p class="row-title">{name}</p>
      <Prose text={text} />
    </>
  );
}

function RunStart({
  row,
  body,
}: {
  row: TranscriptRow;
  body: Extract<RowBody, { type: "run-start" }>;
}) {
  const { end, durationMs, calls } = body;
  const line = (
    <>
      <span class="run-name">Run{row.at === null ? "" : ` of ${timeNow(row.at)}`}</span>
      <span class="call-summary">{calls === 0 ? "" : counted(calls, "tool call")}</span>
      <span class="call-time">{durationMs === null ? "" : durationText(durationMs)}</span>
      {end ? <OutcomeMark outcome={end.outcome} /> : <span class="outcome">still running</span>}
    </>
  );
  return (
    <h3>
      <Fold id={row.key} isRun line={line}>
        {null}
      </Fold>
    </h3>
  );
}

function RunEnd({ body }: { body: Extract<RowBody, { type: "run-end" }> }) {
  const { entry, durationMs } = body;
  return (
    <p class="run-end-line">
      <span>End of the run</span>
      <OutcomeMark outcome={entry.outcome} />
      {durationMs !== null && <span>after {durationText(durationMs)}</span>}
      {entry.reason !== null && (
        <span class="run-reason">
          <Marked text={entry.reason} />
        </span>
      )}
    </p>
  );
}

const outcomes: Readonly<Record<RunOutcome, { kind: string; says: string }>> = {
  done: { kind: "good", says: "done" },
  failed: { kind: "bad", says: "failed" },
  "turn-limit": { kind: "warn", says: "turn limit" },
  budget: { kind: "warn", says: "budget" },
  interrupted: { kind: "warn", says: "interrupted" },
};

function OutcomeMark({ outcome }: { outcome: RunOutcome }) {
  const { kind, says } = outcomes[outcome];
  return <span class={`outcome ${kind}`}>{says}</span>;
}

/** Mail as it was delivered. */
function Letter({ message }: { message: MessageView }) {
  const { from, type, sent_at, text, is_cut, facts } = message;
  return (
    <>
      <p class="row-title">
        <b>{from}</b>
        <span class="letter-type">{typeLabel(type)}</span>
        {Object.entries(facts).map(([name, value]) => (
          <span class="letter-fact">
            {words(name)}: {value}
          </span>
        ))}
        {sent_at !== null && <time dateTime={sent_at}>{timeNow(sent_at)}</time>}
      </p>
      <Prose text={text} />
      {is_cut && <p class="aside">Truncated: the messages view shows the whole text.</p>}
    </>
  );
}
