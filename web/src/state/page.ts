import type { LiveText, RoomChange, RoomState } from "../../../src/protocol/dashboard.ts";
import type { Connection, Listener, Source } from "../source/source.ts";
import { changedRoom, type KnownRoom, roomOf } from "./known-room.ts";
import { hashOf, type Route } from "./route.ts";
import { Store } from "./store.ts";

/** The text that the watched member is writing. */
export type WatchedText = Pick<LiveText, "member" | "key" | "kind" | "text">;

/** How much of that text is kept; the transcript soon has all of it. */
const keptLive = 100_000;

/** The data of the page, shared by all its components. */
export class Page implements Listener {
  readonly source: Source;
  readonly connection = new Store<Connection>({ type: "connecting" });
  /** Null before the first state has arrived. */
  readonly room = new Store<KnownRoom | null>(null);
  readonly route: Store<Route>;
  readonly live = new Store<WatchedText | null>(null);
  /** How often each member's transcript was reported to have grown. */
  readonly grown = new Store<ReadonlyMap<string, number>>(new Map());
  /** How often the whole state arrived. Data that was fetched before may be incomplete. */
  readonly starts = new Store(0);

  constructor(source: Source, route: Route) {
    this.source = source;
    this.route = new Store(route);
  }

  /** Shows another view and updates the address. */
  go(route: Route): void {
    this.route.set(route);
    if (location.hash !== hashOf(route)) history.pushState(null, "", hashOf(route));
    this.source.watch(route.view === "member" ? route.name : null);
  }

  onConnection(connection: Connection): void {
    this.connection.set(connection);
  }

  onState(state: RoomState): void {
    this.room.set(roomOf(state));
    this.starts.set(this.starts.value + 1);
  }

  onChange(change: RoomChange): void {
    const room = this.room.value;
    if (!room) return;
    this.room.set(changedRoom(room, change));
    if (change.grown) this.grown.set(counted(this.grown.value, change.grown));
  }

  onLive({ member, key, kind, from, text }: LiveText): void {
    const before = this.live.value;
    const isMore = before?.member === member && before.key === key && before.kind === kind;
    const known = isMore && from > 0 ? before.text : "";
    this.live.set({ member, key, kind, text: `${known}${text}`.slice(-keptLive) });
  }
}

function counted(counts: ReadonlyMap<string, number>, names: readonly string[]) {
  const all = new Map(counts);
  for (const name of names) all.set(name, (all.get(name) ?? 0) + 1);
  return all;
}
