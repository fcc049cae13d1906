import { TeamError } from "../errors.ts";

/**
 * Lets one lead at a time write a team's state.
 *
 * Every backend promises, and src/testing/conformance/fence.ts checks, that:
 * - of any number of contenders exactly one acquires; while it lives, all others are refused;
 * - each acquisition has a higher epoch than the one before;
 * - `check` throws for a holder that has lost or released the fence, before it writes.
 */
export interface Fence {
  /**
   * Takes the fence, or throws `lead-alive` with a hint. It takes over from a dead holder without
   * asking; if the holder's machine cannot be inspected, that takes a while.
   */
  acquire(signal?: AbortSignal): Promise<HeldFence>;

  /** Who holds the fence, seen from any process; undefined when nobody does. Changes nothing. */
  look(): Promise<FenceHolder | undefined>;
}

/** The fence in the hands of this process. Disposing of it, once or more often, releases it. */
export interface HeldFence extends AsyncDisposable {
  /** Rises with every acquisition. */
  readonly epoch: number;

  /** Aborted, with a `fence-lost` error as its reason, when another lead has taken over. */
  readonly lost: AbortSignal;

  /**
   * To be awaited right before a write to the team's state: throws `fence-lost` when the fence is
   * no longer ours. It costs nothing while the last heartbeat is fresh.
   */
  check(): Promise<void>;
}

/** The process that is on record as the lead. */
export interface FenceHolder {
  /** A number that is higher for each new lead of the team. */
  epoch: number;
  /** The name of the machine that the process runs on. */
  host: string;
  /** The process id on that machine. */
  pid: number;
  /** False when its process is known to be gone, or has not been heard of for too long. */
  isAlive: boolean;
}

/** The error that refuses a second lead. */
export function leadAlive(
  { pid, host }: Pick<FenceHolder, "pid" | "host">,
  hint: string,
): TeamError {
  return new TeamError("lead-alive", `A lead is already running: pid ${pid} on ${host}`, { hint });
}

/** The error that refuses a write by a process that is no longer the lead. */
export function fenceLost(reason: string): TeamError {
  return new TeamError("fence-lost", `This process is no longer the team's lead: ${reason}`, {
    hint: "Nothing was written. See who is the lead with `troupe team`, or start troupe again.",
  });
}
