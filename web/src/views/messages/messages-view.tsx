import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { MessageView } from "../../../../src/protocol/dashboard.ts";
import type { Page } from "../../state/page.ts";
import "../../styles/messages.css";
import { type Filter, usualKinds } from "./filter.ts";
import type { Kind } from "./kinds.ts";
import { MessageDetail } from "./message-detail.tsx";
import type { Feed } from "./message-feed.ts";
import { MessageFilters } from "./message-filters.tsx";
import { type Row, rowIndexOf, rowsOf } from "./rows.ts";
import { Sequence } from "./sequence.tsx";
import { useCast } from "./use-cast.ts";
import { useFeed } from "./use-feed.ts";

/** The messages between everybody, or with one member, as a sequence diagram. */
export function MessagesView({ page, member }: { page: Page; member: string | null }) {
  const [chosen, setChosen] = useState<ReadonlySet<Kind>>(usualKinds);
  const [search, setSearch] = useState("");
  const [selected, setSelected] = useState<string | null>(null);
  const filter = useMemo<Filter>(
    () => ({ member, kinds: chosen, search }),
    [member, chosen, search],
  );
  const feed = useFeed(page, filter);
  const rows = useRows(feed.messages);
  const cast = useCast(page);
  const row = useMemo(
    () => (selected === null ? undefined : rows[rowIndexOf(rows, selected)]),
    [rows, selected],
  );
  const close = useCallback(() => setSelected(null), []);
  return (
    <section class="messages" aria-label="Messages">
      <MessageFilters
        page={page}
        member={member}
        names={["user", ...cast.keys(), "system", "outside"]}
        chosen={chosen}
        onKinds={setChosen}
        search={search}
        onSearch={setSearch}
      />
      <div class="messages-main" data-detail={row ? "open" : "closed"}>
        <Sequence
          // Another filter begins at its newest message again.
          key={`${member}|${[...chosen].join()}|${search}`}
          feed={feed}
          rows={rows}
          cast={cast}
          selected={selected}
          onSelect={setSelected}
          beginning={<Beginning feed={feed} isFiltered={member !== null || search !== ""} />}
        />
        {row && <MessageDetail page={page} row={row} onClose={close} />}
      </div>
    </section>
  );
}

function useRows(messages: readonly MessageView[]): readonly Row[] {
  const latest = useRef<readonly Row[]>([]);
  return useMemo(() => {
    latest.current = rowsOf(messages, latest.current);
    return latest.current;
  }, [messages]);
}

interface BeginningProps {
  feed: Feed & { older(): void; refresh(): void };
  isFiltered: boolean;
}

function Beginning({ feed, isFiltered }: BeginningProps) {
  const { messages, hasOlder, loading, problem } = feed;
  if (problem !== null) {
    return (
      <>
        {problem}{" "}
        <button type="button" onClick={hasOlder ? feed.older : feed.refresh}>
          Try again
        </button>
      </>
    );
  }
  if (loading === "older" || hasOlder) return <>Looking further back…</>;
  if (loading === "newest" && messages.length === 0) return <>Looking for messages…</>;
  if (messages.length > 0) return <>The beginning</>;
  return (
    <>
      {isFiltered
        ? "No message is like that."
        : "No messages yet. They appear here as soon as somebody writes to somebody."}
    </>
  );
}
