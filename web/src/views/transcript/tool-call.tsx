import { durationText } from "../../state/durations.ts";
import { Fold } from "./fold.tsx";
import type { RowBody, ToolResultView, TranscriptRow } from "./rows.ts";
import { Code, DiffLines, Marked } from "./text.tsx";

type CallBody = Extract<RowBody, { type: "call" }>;

/** A tool call on one line, which unfolds to its input and output. */
export function ToolCall({ row, body }: { row: TranscriptRow; body: CallBody }) {
  const { call, result, durationMs } = body;
  const line = (
    <>
      <CallMark body={body} />
      <span class="call-name">{call.name}</span>
      <span class="call-summary">
        <Marked text={call.summary} />
      </span>
      <span class="call-time">{durationMs === null ? "" : durationText(durationMs)}</span>
    </>
  );
  return (
    <Fold id={row.key} isOpenByItself={result?.is_error ?? false} line={line}>
      {call.diff && <DiffLines lines={call.diff} />}
      <Fold id={`${row.key} input`} isOpenByItself={!call.diff} line={<span>Input</span>}>
        <Code text={call.input} label={`Input of ${call.name}`} />
      </Fold>
      {result ? <ToolResult result={result} /> : <p class="aside">{waiting(body)}</p>}
    </Fold>
  );
}

function waiting({ isLost }: CallBody): string {
  return isLost ? "No result: the run ended first." : "No result yet.";
}

function CallMark({ body: { result, isLost } }: { body: CallBody }) {
  if (result?.is_error) return <Mark kind="bad" sign="✗" says="failed" />;
  if (result) return <Mark kind="good" sign="✓" says="ok" />;
  return isLost ? (
    <Mark kind="warn" sign="?" says="outcome unknown" />
  ) : (
    <Mark kind="open" sign="…" says="not done" />
  );
}

function Mark({ kind, sign, says }: { kind: string; sign: string; says: string }) {
  return (
    <span class={`call-mark ${kind}`}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{says}: </span>
    </span>
  );
}

/** The result of a call. */
export function ToolResult({ result }: { result: ToolResultView }) {
  const { output, is_cut, is_error, images } = result;
  return (
    <div class={is_error ? "result is-error" : "result"}>
      <p class="result-title">{is_error ? "Error" : "Output"}</p>
      {output === "" ? <p class="aside">No output.</p> : <Code text={output} label="Output" />}
      {is_cut && <p class="aside">Truncated: there was more output.</p>}
      {images.length > 0 && <p class="aside">Images: {images.join(", ")}</p>}
    </div>
  );
}
