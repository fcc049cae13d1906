import { useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../../state/store.ts";
import { excerptOf } from "./highlight.ts";
import { Marked, timeNow, words } from "./text.tsx";
import type { FoundEntries, TranscriptSearch } from "./transcript-search.ts";

/** A text that is still being typed is not looked for. */
const typingMs = 250;

/** Where a person types what to look for. */
export function SearchField({ search, onEnter }: { search: TranscriptSearch; onEnter(): void }) {
  const [typed, setTyped] = useState("");
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const timer = setTimeout(() => void look(search, typed), typed === "" ? 0 : typingMs);
    return () => clearTimeout(timer);
  }, [typed, search]);
  return (
    <input
      type="search"
      class="transcript-search"
      placeholder="Search this transcript"
      aria-label="Search this transcript"
      maxLength={200}
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape") setTyped("");
        if (event.key === "Enter") void look(search, typed).then(onEnter);
      }}
    />
  );
}

/** What is looked for already, because the person could not wait, is not looked for again. */
async function look(search: TranscriptSearch, typed: string): Promise<void> {
  const wanted = typed.trim();
  if (wanted !== (search.findings.value?.search ?? "")) await search.look(wanted);
}

interface ResultsProps {
  search: TranscriptSearch;
  onGo(to: number): void;
}

/** What was found, newest first. */
export function Results({ search, onGo }: ResultsProps) {
  const findings = useStore(search.findings, (it) => it);
  if (!findings) return null;
  const { entries, before, isLooking, current } = findings;
  return (
    <aside class="findings" aria-label="What was found">
      <p class="aside" role="status">
        {summaryOf(findings)}
      </p>
      <ol>
        {entries.map((entry, index) => (
          <li key={entry.cursor}>
            <button
              type="button"
              class="finding"
              aria-current={index === current}
              onClick={() => onGo(index)}
            >
              <span class="finding-title">
                {words(entry.type)}
                {entry.at !== null && <time dateTime={entry.at}>{timeNow(entry.at)}</time>}
              </span>
              <span class="finding-text">
                <Marked text={excerptOf(entry, findings.search)} />
              </span>
            </button>
          </li>
        ))}
      </ol>
      {before !== null && !isLooking && (
        <button type="button" class="more" onClick={() => void search.lookFurther()}>
          Look further back
        </button>
      )}
    </aside>
  );
}

function summaryOf({ entries, before, isLooking, failure }: FoundEntries): string {
  if (failure !== null) return failure;
  if (isLooking && entries.length === 0) return "Looking…";
  const found = entries.length === 1 ? "1 entry" : `${entries.length} entries`;
  const more = before === null ? "" : ", and maybe more further back";
  return entries.length === 0 && before === null
    ? "Found nowhere."
    : `${found}${more}. n and N go through them.`;
}
