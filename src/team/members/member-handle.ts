import type { RewindPoint } from "../../agent/rewind.ts";
import type { CompactionReport, RecordedEnd, RunEnd } from "../../agent/runner.ts";
import type { Effort } from "../../protocol/effort.ts";
import type { MemberName, MessageId } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/message.ts";

/**
 * A member as its team deals with it, wherever it runs: what is known of it is plain data, and what
 * it is to do is an order.
 *
 * Every handle promises, and src/testing/conformance/member-handle.ts checks, that:
 * - an order has taken effect when `order` resolves, and `state` shows it;
 * - a listener of `onChange` is called after every change of `state`.
 */
export interface MemberHandle {
  readonly name: MemberName;
  readonly state: MemberState;
  onChange(listener: () => void): () => void;
  order(order: MemberOrder): Promise<void>;
}

/** What the team needs to know of a member. */
export interface MemberState {
  /** True from a wake on until there is nothing left to do and its last run is settled. */
  readonly isBusy: boolean;
  /** True during a run. */
  readonly isRunning: boolean;
  /** The newest mail that it has looked at since its process opened it. */
  readonly lookedAt: MessageId | undefined;
  /** True once it works no more, because it was ended or its process leaves. */
  readonly hasEnded: boolean;
  /** Why its last run failed, if it did: only the lead or the person starts it again. */
  readonly failure: string | undefined;
  /** True when the person interrupted it: it does not look for work by itself. */
  readonly isInterrupted: boolean;
  /** Which budget keeps it from being woken, in words. */
  readonly exhausted: string | undefined;
  /** How many runs it has begun since its process opened it. */
  readonly runs: number;
  /** How the last of them ended. */
  readonly lastEnd: RunEnd | undefined;
  /** The last thing that it said, in whatever process. */
  readonly lastAnswer: string | undefined;
  /** How its last run ended by its transcript, in whatever process; undefined while it is open. */
  readonly recordedEnd: RecordedEnd | undefined;
  /** True while its last run is open: when it does not run, its process was stopped. */
  readonly isCutShort: boolean;
  /** What the last compaction did that was ordered since its process opened it. */
  readonly lastCompaction: CompactionReport | undefined;
  /** The commands that it has running in the background, oldest first. */
  readonly backgroundJobs: readonly string[];
  /** True while one of them has ended, and the mail that says so is being sent to it. */
  readonly isTellingOfJobs: boolean;
  readonly mode: PermissionMode;
  readonly rules: readonly RuleText[];
  /** Which model or agent answers, or will answer the next request. */
  readonly model: string;
}

/** What the team has a member do. */
export type MemberOrder =
  /** Begins to work. */
  | { type: "start" }
  /** It was spawned again and continues unchanged, in this mode. */
  | { type: "respawn"; mode: PermissionMode }
  /** Says that there may be something to do. */
  | { type: "wake" }
  /** Stops its run for the person. It does nothing then until its lead or the person writes. */
  | { type: "interrupt" }
  | { type: "set-mode"; mode: PermissionMode }
  /** Gives it another model or effort, from its next request on. Throws where it cannot have that. */
  | { type: "set-model"; model: string; effort: Effort | undefined }
  /** Gives it the rules that it has from now on. */
  | { type: "set-rules"; rules: readonly RuleText[] }
  /**
   * Goes back to a prompt of the person, with the mail that it has not seen, but for what the person
   * has written since `begunAt`. Throws while it works.
   */
  | { type: "rewind"; point: RewindPoint; begunAt: Date }
  /** Takes the files of its checkout back to the state that was kept with this number. Throws while it works. */
  | { type: "go-back"; number: number }
  /** Takes back a message of `sender` that is in its mailbox, if it has not seen it. */
  | { type: "withdraw"; id: MessageId; sender: MemberName }
  /**
   * Has its conversation summarized: at once, or before the next request of its run. Throws
   * `compaction-failed` or `conversation-short` where that is not done, and changes nothing then. An
   * interruption cancels it.
   */
  | { type: "compact"; keep: string | undefined }
  /** Has its conversation begin again. Throws while it works, or if there is nothing to clear. */
  | { type: "clear" }
  /** Shows in the roster what it waits for in the middle of a run. */
  | { type: "show-waiting"; detail: string | undefined }
  /** It is known to have failed in an earlier process. */
  | { type: "fail"; reason: string }
  /** Resolves when all orders are carried out that have come by mail. */
  | { type: "settle-orders" }
  /** Ends it for good. Nothing of it still runs when this resolves. */
  | { type: "end"; reason: string }
  /** Stops it because the process exits: it continues at the next start. */
  | { type: "leave" }
  /** Stops it for a new member of its name: what it has said is known when this resolves. */
  | { type: "make-way" };

/** A permission rule as people write it. */
export interface RuleText {
  decision: "allow" | "ask" | "deny";
  text: string;
}

/** True while it has something to do. */
export function isBusy({ state }: MemberHandle): boolean {
  return state.isBusy;
}

/** True when it has nothing to do and may look for work. */
export function isFree({ state }: MemberHandle): boolean {
  const hindrance = state.failure ?? state.exhausted;
  return hindrance === undefined && !state.isBusy && !state.hasEnded && !state.isInterrupted;
}
