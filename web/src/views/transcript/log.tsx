import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Prose } from "../../parts/prose.tsx";
import { Store, useStore } from "../../state/store.ts";
import { type Folds, isRunOpen } from "./folds.ts";
import type { Loaded } from "./loaded.ts";
import { RowView } from "./row-view.tsx";
import { rowsOf, rowsShown, sameRows, type TranscriptRow } from "./rows.ts";
import { type Anchor, anchorIn, isAtEnd, neighbour, restore } from "./scrolling.ts";
import type { TranscriptLoader } from "./transcript-loader.ts";

/** So near to an edge, what is beyond it is loaded. */
const nearEdge = 600;

/** Whether the person is at the end and wants to stay there. */
export class LogScroll {
  readonly isAtEnd = new Store(true);
  #size = "";

  /** True when `scroller` has another size than when this was last asked: nobody has scrolled then. */
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
  /** The key of the row that was looked for last; null for none. */
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
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse.
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

function Beginning({ loaded }: { loaded: Loaded | null }) {
  if (!loaded) return <p class="aside">Reading the transcript…</p>;
  if (loaded.before !== null) return <p class="aside">Reading what came before…</p>;
  return <p class="aside">{loaded.entries.length === 0 ? "Nothing yet." : "The beginning."}</p>;
}

/** Rows that are as they were stay the same, so that they are not drawn again. */
function useRows(loaded: Loaded | null): readonly TranscriptRow[] {
  const known = useRef<readonly TranscriptRow[]>([]);
  return useMemo(() => {
    known.current = sameRows(rowsOf(loaded?.entries ?? []), known.current);
    return known.current;
  }, [loaded]);
}

type Scroller = { readonly current: HTMLDivElement | null };

/** What is in view stays where it is when something comes or goes above; the end stays in view. */
function useKeptPlace(scroller: Scroller, place: LogScroll, loaded: Loaded | null): void {
  const isThere = useStore(place.isAtEnd, (it) => it);
  const drawn = useRef<Loaded | null>(null);
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

/** The end stays in view while something there grows, but not when the person opens a line. */
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

/** Brings the entry that was looked for into view, once it is loaded. */
function useTarget(
  scroller: Scroller,
  place: LogScroll,
  { target, loaded }: { target: string | null; loaded: Loaded | null },
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
    // Rows that come into view by that have their real height only then.
    requestAnimationFrame(show);
  }, [target, loaded]);
}

function scrolled(scroller: Element, place: LogScroll, reader: TranscriptLoader): void {
  const loaded = reader.loaded.value;
  // Where there is nothing to read yet, nobody can have left the end.
  if (!loaded) return;
  const isKept = place.isResized(scroller) && place.isAtEnd.value;
  if (isKept) scroller.scrollTop = scroller.scrollHeight;
  const isThere = isAtEnd(scroller) && loaded.hasNewest;
  place.isAtEnd.set(isThere);
  if (isThere) reader.hasNew.set(false);
  loadNear(scroller, reader);
}

/** Loads what is beyond an edge that is near. */
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

/** What the member says at this moment, below everything that its transcript has. */
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
