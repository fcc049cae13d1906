import type { Clock } from "../../lib/clock.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { RoomRecords } from "./records.ts";

/** What the parts share that look at a team. */
export interface SightOptions {
  records: RoomRecords;
  clock: Clock;
  /** Told what a look has failed with. It is tried again. */
  onFailure(error: unknown): void;
  /** Told whose unread mail may be another number. */
  onMailOf(owner: MemberName): void;
}
