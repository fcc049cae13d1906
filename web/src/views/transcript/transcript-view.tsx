import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { hasModifier, isField } from "../../parts/typing.ts";
import type { Page } from "../../state/page.ts";
import { usePageContext } from "../../state/page-context.ts";
import { Store, useStore } from "../../state/store.ts";
import { type Folds, untouched, withAllTurned, withFold } from "./folds.ts";
import { Header } from "./header.tsx";
import { Log, LogScroll } from "./log.tsx";
import { RowContext } from "./row-context.ts";
import { rowsOf, rowWith, type TranscriptRow } from "./rows.ts";
import { Results, SearchField } from "./search-panel.tsx";
import { TranscriptLoader } from "./transcript-loader.ts";
import { TranscriptSearch } from "./transcript-search.ts";
import "../../styles/transcript.css";
import "../../styles/transcript-rows.css";
import "../../styles/transcript-calls.css";

interface TranscriptViewProps {
  page: Page;
  name: string;
  /** The actions for the member, for the upper right corner. */
  actions?: ComponentChildren;
}

/** A member's transcript, readable. */
export function TranscriptView({ page, name, actions }: TranscriptViewProps) {
  // Each member has its own view; nothing of the previous one is kept.
  return <Transcript key={name} page={page} name={name} actions={actions} />;
}

function Transcript({ page, name, actions }: TranscriptViewProps) {
  const { reader, search, folds, place } = useParts(page, name);
  const { target, go } = useTarget(reader, search, folds);
  const wanted = useStore(search.findings, (it) => it?.search ?? "");
  const failure = useStore(reader.failure, (it) => it);
  useFollowing(page, name, reader);
  useKeys(folds, go);
  return (
    <RowContext.Provider value={{ folds, search: wanted }}>
      <div class="transcript">
        <Header page={page} name={name} actions={actions} />
        <div class="transcript-tools">
          <SearchField search={search} onEnter={() => go("next")} />
          {failure !== null && (
            <p class="transcript-failure" role="alert">
              {failure}
            </p>
          )}
        </div>
        <div class="transcript-body">
          <div class="log-place">
            <Log reader={reader} folds={folds} place={place} member={name} target={target} />
            <ToEnd reader={reader} place={place} />
          </div>
          <Results search={search} onGo={go} />
        </div>
      </div>
    </RowContext.Provider>
  );
}

function useParts(page: Page, name: string) {
  return useMemo(() => {
    const place = new LogScroll();
    const isAtEnd = () => place.isAtEnd.value;
    return {
      place,
      reader: new TranscriptLoader({ source: page.source, member: name, isAtEnd }),
      search: new TranscriptSearch(page.source, name),
      folds: new Store<Folds>(untouched),
    };
  }, [page, name]);
}

/** The last search result, and a function to go to another one. */
function useTarget(reader: TranscriptLoader, search: TranscriptSearch, folds: Store<Folds>) {
  const [target, setTarget] = useState<string | null>(null);
  const show = async (to: "next" | "previous" | number) => {
    const entry = await search.go(to);
    if (!entry) return;
    // Going to the same entry again scrolls to it again.
    setTarget(null);
    await reader.showEntry(entry);
    const wanted = search.findings.value?.search ?? "";
    const row = rowWith(rowsOf(reader.loaded.value?.entries ?? []), entry, wanted);
    if (!row) return;
    folds.set(unfolded(folds.value, row));
    setTarget(row.key);
  };
  const go = (to: "next" | "previous" | number) => void show(to).catch(reportError);
  return { target, go };
}

/** Fetches when the transcript has grown, or may have grown without notice. */
function useFollowing(page: Page, name: string, reader: TranscriptLoader): void {
  const grown = useStore(page.grown, (all) => all.get(name) ?? 0);
  const starts = useStore(page.starts, (it) => it);
  const isRunning = useStore(page.room, (room) => room?.running != null);
  // If the team is not running, a live text may never be written.
  useEffect(() => void reader.follow(), [reader, grown, starts, isRunning]);
  useEffect(() => {
    const hear = () => {
      const { live, room } = page;
      if (live.value) reader.hear(live.value);
      if (live.value?.text === "" && room.value?.running === null) void reader.follow();
    };
    hear();
    const stop = page.live.subscribe(hear);
    return () => {
      stop();
      reader.close();
    };
  }, [page, reader]);
}

function ToEnd({ reader, place }: { reader: TranscriptLoader; place: LogScroll }) {
  const hasNew = useStore(reader.hasNew, (it) => it);
  const isThere = useStore(place.isAtEnd, (it) => it);
  const element = useRef<HTMLButtonElement>(null);
  if (isThere) return null;
  const go = () => {
    // The button disappears, so the focus moves first.
    element.current?.closest(".log-place")?.querySelector<HTMLElement>(".log")?.focus();
    if (reader.loaded.value?.hasNewest) place.isAtEnd.set(true);
    else void reader.showNewest().then(() => place.isAtEnd.set(true));
    reader.hasNew.set(false);
  };
  return (
    <button type="button" ref={element} class={hasNew ? "to-end has-new" : "to-end"} onClick={go}>
      {hasNew ? "new ↓" : "end ↓"}
    </button>
  );
}

/** Unfolds everything that may contain the row's text. */
function unfolded(folds: Folds, { key, run }: TranscriptRow): Folds {
  const keys = [...(run === null ? [] : [run]), key, `${key} input`];
  return keys.reduce((all, it) => withFold(all, it, true), folds);
}

/** Handles `e`, `n` and `N`, except in a text field. */
function useKeys(folds: Store<Folds>, go: (to: "next" | "previous") => void): void {
  const { overlay } = usePageContext();
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      // An open dialog handles the keys itself.
      if (overlay.value || hasModifier(event) || isField(event.target)) return;
      if (event.key === "n") latest.current("next");
      if (event.key === "N") latest.current("previous");
      if (event.key === "e") folds.set(withAllTurned(folds.value));
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [folds, overlay]);
}
