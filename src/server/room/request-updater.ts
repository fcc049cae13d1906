import { mapInBatches } from "../../lib/batches.ts";
import type { RequestId } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { TeamView } from "../../team/view/team-view.ts";
import type { RoomRecords } from "./records.ts";
import { requestView } from "./request-view.ts";

/** How many of the newest decided requests are shown. */
const shownDecided = 200;
/** With more than this, those decided long ago are dropped. */
const maxShown = 2_000;

/** Keeps the room's requests up to date. A decided request is final, and is not read again. */
export class RequestUpdater {
  readonly #view: TeamView;
  readonly #records: RoomRecords;
  readonly #decided = new Set<RequestId>();
  /** Old requests that were not read yet. */
  #older: RequestId[] = [];

  constructor(view: TeamView, records: RoomRecords) {
    this.#view = view;
    this.#records = records;
  }

  /** Shows the newest requests. */
  async open(): Promise<void> {
    const ids = await this.#view.requestIds();
    this.#older = ids.slice(0, -shownDecided);
    await this.#read(ids.slice(-shownDecided));
  }

  /** The slower part: old requests that are still open. */
  async complete(): Promise<void> {
    const older = this.#older;
    this.#older = [];
    const found = await mapInBatches(older, (id) => this.#view.request(id));
    for (const request of found) {
      if (request?.state === "pending") this.#show(request);
      else if (request) this.#decided.add(request.id);
    }
  }

  /** Reads new and open requests. */
  async refresh(): Promise<void> {
    const older = new Set(this.#older);
    const ids = await this.#view.requestIds();
    await this.#read(ids.filter((id) => !this.#decided.has(id) && !older.has(id)));
    const shown = this.#records.requests.values();
    if (shown.length <= maxShown) return;
    const kept = shown.filter(({ state }, index) => {
      return state === "pending" || index >= shown.length - shownDecided;
    });
    this.#records.keepOnly(this.#records.requests, new Set(kept.map(({ id }) => id)));
  }

  async #read(ids: readonly RequestId[]): Promise<void> {
    for (const request of await mapInBatches(ids, (id) => this.#view.request(id))) {
      if (!request) continue;
      if (request.state !== "pending") this.#decided.add(request.id);
      this.#show(request);
    }
  }

  #show(request: TeamRequest): void {
    this.#records.set(this.#records.requests, requestView(request));
  }
}
