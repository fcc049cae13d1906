import { useEffect, useMemo } from "preact/hooks";
import type { Page } from "../../state/page.ts";
import { useStore } from "../../state/store.ts";
import type { Filter } from "./filter.ts";
import { type LoadedMessages, MessageFeed } from "./message-feed.ts";

/** The messages that match `filter`, live. Each filter and each team has its own feed. */
export function useFeed(
  page: Page,
  filter: Filter,
): LoadedMessages & Pick<MessageFeed, "older" | "refresh"> {
  const team = useStore(page.room, (room) => room?.team?.id);
  // Another team has other messages.
  const feed = useMemo(() => {
    const made = new MessageFeed(page.source, filter);
    made.take(page.room.value?.messages ?? []);
    return made;
  }, [page, filter, team]);
  useEffect(() => {
    const take = () => feed.take(page.room.value?.messages ?? []);
    take();
    feed.refresh();
    const stops = [page.room.subscribe(take), page.starts.subscribe(() => feed.refresh())];
    return () => {
      for (const stop of stops) stop();
      feed.close();
    };
  }, [page, feed]);
  const state = useStore(feed.state, (value) => value);
  return useMemo(
    () => ({ ...state, older: () => feed.older(), refresh: () => feed.refresh() }),
    [feed, state],
  );
}
