import { useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../../state/store.ts";
import { excerptOf } from "./highlight.ts";
import { Marked, timeNow, words } from "./text.tsx";
import type { FoundEntries, TranscriptSearch } from "./transcript-search.ts";

/** The search starts this long after the last key press. */
const typingMs = 250;

/** The search field. */
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

/** Enter may have started this search already. */
async function look(search: TranscriptSearch, typed: string): Promise<void> {
  const wanted = typed.trim();
  if (wanted !== (search.findings.value?.search ?? "")) await search.look(wanted);
}

interface ResultsProps {
  search: TranscriptSearch;
  onGo(to: number): void;
}

/** The search results, newest first. */
export function Results({ search, onGo }: ResultsProps) {
  const findings = useStore(search.findings, (it) => it);
  if (!findings) return null;
  const { entries, before, isLooking, current } = findings;
  return (
    <aside class="findings" aria-label="Search results">
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
          Search older entries
        </button>
      )}
    </aside>
  );
}

function summaryOf({ entries, before, isLooking, failure }: FoundEntries): string {
  if (failure !== null) return failure;
  if (isLooking && entries.length === 0) return "Looking…";
  const found = entries.length === 1 ? "1 entry" : `${entries.length} entries`;
  const more = before === null ? "" : ", maybe more in older ones";
  return entries.length === 0 && before === null
    ? "No matches."
    : `${found}${more}. Press n or N for the next or previous one.`;
}
