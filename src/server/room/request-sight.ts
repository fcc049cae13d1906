import { mapInBatches } from "../../lib/batches.ts";
import type { RequestId } from "../../protocol/ids.ts";
import type { TeamObserver } from "../../team/team-observer.ts";
import type { RoomRecords } from "./records.ts";
import { requestView } from "./request-view.ts";

/** So many of the newest are shown though they are decided. */
const shownDecided = 200;
/** When there are so many, those decided long ago are forgotten. */
const maxShown = 2_000;

/** The questions of a team. What is decided stays so, and is not read again. */
export class RequestSight {
  readonly #records: RoomRecords;
  readonly #decided = new Set<RequestId>();
  /** Those of the past that were not looked at yet. */
  #older: RequestId[] = [];

  constructor(records: RoomRecords) {
    this.#records = records;
  }

  /** Shows the newest. */
  async open(observer: TeamObserver): Promise<void> {
    const ids = await observer.requestIds();
    this.#older = ids.slice(0, -shownDecided);
    await this.#read(observer, ids.slice(-shownDecided));
  }

  /** What takes longer: those of long ago that are still open. */
  async complete(observer: TeamObserver): Promise<void> {
    const older = this.#older;
    this.#older = [];
    const found = await mapInBatches(older, (id) => observer.request(id));
    for (const request of found) {
      if (request?.state === "pending") this.#records.setRequest(requestView(request));
      else if (request) this.#decided.add(request.id);
    }
  }

  /** Looks at what is new and what was open. */
  async refresh(observer: TeamObserver): Promise<void> {
    const older = new Set(this.#older);
    const ids = await observer.requestIds();
    await this.#read(
      observer,
      ids.filter((id) => !this.#decided.has(id) && !older.has(id)),
    );
    const shown = this.#records.requests();
    if (shown.length <= maxShown) return;
    const kept = shown.filter(({ state }, index) => {
      return state === "pending" || index >= shown.length - shownDecided;
    });
    this.#records.keepOnly("requests", new Set(kept.map(({ id }) => id)));
  }

  async #read(observer: TeamObserver, ids: readonly RequestId[]): Promise<void> {
    for (const request of await mapInBatches(ids, (id) => observer.request(id))) {
      if (!request) continue;
      if (request.state !== "pending") this.#decided.add(request.id);
      this.#records.setRequest(requestView(request));
    }
  }
}
