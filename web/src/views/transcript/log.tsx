import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Prose } from "../../parts/prose.tsx";
import { Store, useStore } from "../../state/store.ts";
import { type Folds, isRunOpen } from "./folds.ts";
import type { LoadedEntries } from "./loaded.ts";
import { RowView } from "./row-view.tsx";
import { rowsOf, rowsShown, sameRows, type TranscriptRow } from "./rows.ts";
import { type Anchor, anchorIn, isAtEnd, neighbour, restore } from "./scrolling.ts";
import type { TranscriptLoader } from "./transcript-loader.ts";

/** This close to an edge, the entries beyond it are loaded. */
const nearEdge = 600;

/** Whether the person is at the end and wants to stay there. */
export class LogScroll {
  readonly isAtEnd = new Store(true);
  #size = "";

  /**
   * True if the size of `scroller` has changed since the last call: then a scroll event is not from
   * the person.
   */
  isResized({ clientWidth, clientHeight }: Element): boolean {
    const size = `${clientWidth} ${clientHeight}`;
    const isOther = size !== this.#size;
    this.#size = size;
    return isOther;
  }
}

interface LogProps {
  reader: TranscriptLoader;
  folds: Store<Folds>;
  place: LogScroll;
  member: string;
  /** The key of the last search result; null for none. */
  target: string | null;
}

/** The transcript itself, newest at the bottom. */
export function Log(props: LogProps) {
  const { reader, folds, place, member, target } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const loaded = useStore(reader.loaded, (it) => it);
  const rows = useRows(loaded);
  const foldsNow = useStore(folds, (it) => it.single);
  const shown = useMemo(
    () => rowsShown(rows, (run) => !isRunOpen({ all: null, single: foldsNow }, run)),
    [rows, foldsNow],
  );
  useKeptPlace(scroller, place, loaded);
  useLayoutEffect(() => loadNear(scroller.current, reader), [loaded, shown]);
  useKeptEnd(scroller, props);
  useTarget(scroller, place, { target, loaded });
  return (
    <div
      class="log"
      ref={scroller}
      role="log"
      aria-live="off"
      aria-label={`Transcript of ${member}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable without a mouse.
      tabIndex={0}
      onScroll={({ currentTarget }) => scrolled(currentTarget, place, reader)}
      onKeyDown={(event) => pressed(event, place)}
    >
      <div class="log-content">
        <Beginning loaded={loaded} />
        {shown.map((row) => (
          <RowView key={row.key} row={row} isTarget={row.key === target} />
        ))}
        {loaded?.hasNewest && <LiveTextsView reader={reader} member={member} />}
      </div>
    </div>
  );
}

function Beginning({ loaded }: { loaded: LoadedEntries | null }) {
  if (!loaded) return <p class="aside">Loading the transcript…</p>;
  if (loaded.before !== null) return <p class="aside">Loading older entries…</p>;
  return <p class="aside">{loaded.entries.length === 0 ? "Nothing yet." : "The beginning."}</p>;
}

/** Unchanged rows keep their identity, so that they are not rendered again. */
function useRows(loaded: LoadedEntries | null): readonly TranscriptRow[] {
  const known = useRef<readonly TranscriptRow[]>([]);
  return useMemo(() => {
    known.current = sameRows(rowsOf(loaded?.entries ?? []), known.current);
    return known.current;
  }, [loaded]);
}

type Scroller = { readonly current: HTMLDivElement | null };

/** Visible rows stay in place when rows above are added or removed; the end stays visible. */
function useKeptPlace(scroller: Scroller, place: LogScroll, loaded: LoadedEntries | null): void {
  const isThere = useStore(place.isAtEnd, (it) => it);
  const drawn = useRef<LoadedEntries | null>(null);
  const anchor = useRef<Anchor | null>(null);
  if (scroller.current && drawn.current !== loaded) anchor.current = anchorIn(scroller.current);
  useLayoutEffect(() => {
    const { current } = scroller;
    drawn.current = loaded;
    if (!current) return;
    if (place.isAtEnd.value) current.scrollTop = current.scrollHeight;
    else if (anchor.current) restore(current, anchor.current);
    anchor.current = null;
  }, [loaded, isThere]);
}

/** The end stays visible while a text there grows, but not when the person unfolds a line. */
function useKeptEnd(scroller: Scroller, { place, folds, reader }: LogProps): void {
  useEffect(() => {
    const { current } = scroller;
    const content = current?.firstElementChild;
    if (!content) return;
    const observer = new ResizeObserver(() => {
      place.isResized(current);
      if (place.isAtEnd.value) current.scrollTop = current.scrollHeight;
      else place.isAtEnd.set(isAtEnd(current) && reader.loaded.value?.hasNewest === true);
    });
    observer.observe(content);
    observer.observe(current);
    const stop = folds.subscribe(() => place.isAtEnd.set(false));
    return () => {
      observer.disconnect();
      stop();
    };
  }, [scroller, place, folds, reader]);
}

/** Scrolls to the search result once it is loaded. */
function useTarget(
  scroller: Scroller,
  place: LogScroll,
  { target, loaded }: { target: string | null; loaded: LoadedEntries | null },
): void {
  const reached = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (target === null || reached.current === target) {
      if (target === null) reached.current = null;
      return;
    }
    const row = scroller.current?.querySelector(`[data-key="${CSS.escape(target)}"]`);
    if (!row) return;
    reached.current = target;
    place.isAtEnd.set(false);
    const show = () => row.scrollIntoView({ block: "center" });
    show();
    // Rows get their real height only when they become visible.
    requestAnimationFrame(show);
  }, [target, loaded]);
}

function scrolled(scroller: Element, place: LogScroll, reader: TranscriptLoader): void {
  const loaded = reader.loaded.value;
  // In an empty transcript, the person is at the end.
  if (!loaded) return;
  const isKept = place.isResized(scroller) && place.isAtEnd.value;
  if (isKept) scroller.scrollTop = scroller.scrollHeight;
  const isThere = isAtEnd(scroller) && loaded.hasNewest;
  place.isAtEnd.set(isThere);
  if (isThere) reader.hasNew.set(false);
  loadNear(scroller, reader);
}

/** Loads the entries beyond a near edge. */
function loadNear(scroller: Element | null, reader: TranscriptLoader): void {
  const loaded = reader.loaded.value;
  if (!scroller || !loaded) return;
  const below = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
  if (scroller.scrollTop < nearEdge && loaded.before !== null) void reader.showOlder();
  if (below < nearEdge && !loaded.hasNewest) void reader.showNewer();
}

function pressed(event: KeyboardEvent, place: LogScroll): void {
  const { currentTarget, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (!(currentTarget instanceof Element) || (key !== "ArrowDown" && key !== "ArrowUp")) return;
  const next = neighbour(currentTarget, key === "ArrowDown" ? 1 : -1);
  if (!next) return;
  event.preventDefault();
  place.isAtEnd.set(false);
  next.focus();
}

const says = { thinks: "thinks", writes: "writes", runs: "runs a tool" } as const;

/** The member's live text, below the entries of the transcript. */
function LiveTextsView({ reader, member }: { reader: TranscriptLoader; member: string }) {
  const texts = useStore(reader.live, (live) => live.texts);
  return (
    <>
      {texts.map(({ key, kind, text }) => (
        <article key={`${kind} ${key}`} class={`row live ${kind}`}>
          <p class="row-title">
            {member} {says[kind]}…
          </p>
          {kind === "writes" ? <Prose text={text} /> : <pre class="live-text">{text}</pre>}
        </article>
      ))}
    </>
  );
}
