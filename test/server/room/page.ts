import type { LiveText, RoomState } from "../../../src/protocol/dashboard.ts";
import type { RoomEvent } from "../../../src/server/room/changes.ts";
import { Room, type RoomOptions } from "../../../src/server/room/room.ts";
import type { TeamPlace } from "../../../src/team/team-place.ts";
import {
  changedRoom,
  type KnownRoom as PageRoom,
  roomOf,
} from "../../../web/src/state/known-room.ts";
import { teamPlace, viewTeam } from "../../support/team.ts";

export function openRoom(
  root: string,
  { place, ...options }: Partial<RoomOptions> & { place?: Partial<TeamPlace> } = {},
): Room {
  const { clock } = teamPlace(root, place);
  return new Room({ view: viewTeam(root, place), clock, ...options });
}

/** A page before a room: it takes an event when a test waits for what it should show. */
export class Page implements AsyncDisposable {
  readonly #room: Room;
  readonly #watch: string | undefined;
  #leaving = new AbortController();
  #events: AsyncGenerator<RoomEvent> | undefined;
  #shown: PageRoom | undefined;
  lastId: string | undefined;
  readonly live: LiveText[] = [];
  /** The names of what came, in order. */
  readonly came: RoomEvent["event"][] = [];
  readonly grown: string[] = [];

  constructor(room: Room, { watch }: { watch?: string } = {}) {
    this.#room = room;
    this.#watch = watch;
  }

  /** What the page would draw, as the state of a page that has just come. */
  get shown(): RoomState | undefined {
    if (!this.#shown) return undefined;
    const { members, tasks, requests, ...rest } = this.#shown;
    return {
      ...rest,
      members: [...members.values()],
      tasks: [...tasks.values()],
      requests: [...requests.values()],
    };
  }

  /** Takes events until `check` holds of what is shown. */
  async shows(check: (shown: RoomState, page: Page) => boolean): Promise<RoomState> {
    for (;;) {
      const { shown } = this;
      if (shown && check(shown, this)) return shown;
      await this.takeNext();
    }
  }

  async takeNext(): Promise<void> {
    this.#events ??= this.#room.changes({
      after: this.lastId,
      watch: this.#watch,
      signal: this.#leaving.signal,
    });
    const { value, done } = await this.#events.next();
    if (done) throw new Error("The room tells no more");
    this.#take(value);
  }

  /** Loses the connection, as often as it likes. The next event comes over a new one. */
  async cut(): Promise<void> {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    await this.#events?.return(undefined);
    this.#events = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cut();
  }

  #take(event: RoomEvent): void {
    this.lastId = event.id;
    this.came.push(event.event);
    if (event.event === "live") this.live.push(event.data);
    if (event.event === "state") this.#shown = roomOf(event.data);
    if (event.event === "change" && this.#shown) {
      this.#shown = changedRoom(this.#shown, event.data);
      this.grown.push(...(event.data.grown ?? []));
    }
  }
}
