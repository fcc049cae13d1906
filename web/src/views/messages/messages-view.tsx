import { useMemo, useRef, useState } from "preact/hooks";
import type { MessageView } from "../../../../src/protocol/dashboard.ts";
import type { Page } from "../../state/page.ts";
import "../../styles/views.css";
import "../../styles/messages.css";
import type { MessageGroup } from "../../../../src/protocol/message-types.ts";
import { type MemberColors, useMemberLooks } from "../../hooks/use-member-looks.ts";
import { type Filter, usualGroups } from "./filter.ts";
import { MessageDetail } from "./message-detail.tsx";
import type { LoadedMessages } from "./message-feed.ts";
import { MessageFilters } from "./message-filters.tsx";
import { type MessageRow, rowIndexOf, rowsOf } from "./rows.ts";
import { Sequence } from "./sequence.tsx";
import { useFeed } from "./use-feed.ts";

/** All messages, or those of one member, as a sequence diagram. */
export function MessagesView({ page, member }: { page: Page; member: string | null }) {
  const { filter, ...changes } = useFilter(member);
  const [selected, setSelected] = useState<string | null>(null);
  const feed = useFeed(page, filter);
  const rows = useRows(feed.messages);
  const cast = useMemberLooks(page);
  const row = rows[rowIndexOf(rows, selected)];
  const close = () => setSelected(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !row) return;
    event.preventDefault();
    close();
  };
  return (
    <section class="messages view" aria-label="Messages" onKeyDown={onKeyDown}>
      <h2 class="hidden">Messages</h2>
      <MessageFilters page={page} filter={filter} names={namesOf(cast, member)} {...changes} />
      <div class="view-main" data-detail={row ? "open" : "closed"}>
        <Sequence
          // A new filter starts again at the newest message.
          key={keyOf(filter)}
          feed={feed}
          rows={rows}
          cast={cast}
          selected={selected}
          onSelect={setSelected}
          beginning={<Beginning feed={feed} isFiltered={member !== null || filter.search !== ""} />}
        />
        {row && <MessageDetail page={page} row={row} onClose={close} />}
      </div>
    </section>
  );
}

/** The names to choose from, including the chosen one even if no member has it now. */
function namesOf(cast: MemberColors, chosen: string | null): readonly string[] {
  const usual = ["user", ...cast.keys(), "system", "outside"];
  return chosen === null || usual.includes(chosen) ? usual : [...usual, chosen];
}

function useFilter(member: string | null) {
  const [groups, onGroups] = useState<ReadonlySet<MessageGroup>>(usualGroups);
  const [search, onSearch] = useState("");
  const filter = useMemo<Filter>(() => ({ member, groups, search }), [member, groups, search]);
  return { filter, onGroups, onSearch };
}

function keyOf({ member, groups, search }: Filter): string {
  return JSON.stringify([member, [...groups], search]);
}

function useRows(messages: readonly MessageView[]): readonly MessageRow[] {
  const latest = useRef<readonly MessageRow[]>([]);
  return useMemo(() => {
    latest.current = rowsOf(messages, latest.current);
    return latest.current;
  }, [messages]);
}

interface BeginningProps {
  feed: LoadedMessages & { older(): void; refresh(): void };
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
  if (loading === "older" || hasOlder) return <>Loading older messages…</>;
  if (loading === "newest" && messages.length === 0) return <>Loading messages…</>;
  if (messages.length > 0) return <>The beginning</>;
  return (
    <>
      {isFiltered
        ? "No message matches the filter."
        : "No messages yet. They appear here as soon as they are sent."}
    </>
  );
}
