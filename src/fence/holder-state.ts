import { type ProcessIdentity, sharePids } from "../lib/process-identity.ts";
import type { Heartbeat, HeldRecord } from "./lead-record.ts";

/** How often a holder shows that it is alive. */
export const heartbeatMs = 2_000;
/** How long a holder trusts its last heartbeat, and so how long its successor waits for it. */
export const trustMs = 4_000;
/** How long a holder whose process cannot be looked up counts as alive after its last heartbeat. */
export const silenceMs = 30_000;
/** How long a contender watches for a heartbeat before it takes over: after a plain silence, … */
const shortObservationMs = 5_000;
/** … and where the time of the last heartbeat is unknown or cannot be true. */
const longObservationMs = 30_000;

/** What a contender or a reader knows about a holder at one moment. */
export interface HolderFacts {
  holder: HeldRecord;
  /** The latest heartbeat of the holder's epoch. */
  heartbeat: Heartbeat | undefined;
  self: ProcessIdentity;
  /**
   * The start time of the process that has the holder's pid here, whether it is the holder or
   * another one.
   */
  startHere: string | undefined;
  now: Date;
}

export type HolderState =
  /** Its process is here, and it runs. */
  | { type: "running" }
  /** Its process was here, and has ended. */
  | { type: "ended" }
  /** Elsewhere, and heard of `agoMs` ago. */
  | { type: "heard"; agoMs: number }
  /** Elsewhere, and quiet: gone, unless a heartbeat comes within `observeMs`. */
  | { type: "silent"; observeMs: number };

/** Judges whether a holder is alive. Only a pid of the same boot and namespace can be looked up. */
export function judgeHolder({ holder, heartbeat, self, startHere, now }: HolderFacts): HolderState {
  if (sharePids(holder, self)) {
    return { type: startHere === holder.process_start ? "running" : "ended" };
  }
  const agoMs = now.getTime() - Date.parse((heartbeat ?? holder).at);
  // The clocks of two machines differ: a time slightly in the future is normal.
  if (Math.abs(agoMs) < silenceMs) return { type: "heard", agoMs };
  const isPlain = heartbeat !== undefined && agoMs > 0;
  return { type: "silent", observeMs: isPlain ? shortObservationMs : longObservationMs };
}

/** The time by both clocks: the wall clock can jump, the other stops during a suspend. */
export interface ClockReading {
  wallMs: number;
  monotonicMs: number;
}

/** True while nobody can have taken over from a holder whose last heartbeat began at `heard`. */
export function isTrusted(heard: ClockReading, now: ClockReading): boolean {
  const wallMs = Math.abs(now.wallMs - heard.wallMs);
  return wallMs < trustMs && now.monotonicMs - heard.monotonicMs < trustMs;
}
