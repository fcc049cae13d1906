import type { AgentEvent } from "../protocol/events.ts";
import type { MemberName, MessageId, TaskId } from "../protocol/ids.ts";
import type { Message, RunOutcome } from "../protocol/message.ts";

/**
 * Runs a member. Ours drives a model; another can drive a foreign agent.
 *
 * Every runner promises, and src/testing/conformance/runner.ts checks, that:
 * - all that counts for the team is in the member's transcript, so a runner that is opened again
 *   on the same transcript knows the same `lastRun`;
 * - a run takes in the member's mail, and ends when it has answered all of it;
 * - failures of the model or the agent are outcomes. A throw means a bug or a broken store;
 * - a compaction changes nothing of `lastRun`.
 */
export interface Runner {
  /** Which model or agent answers, such as `anthropic/claude-…`. */
  readonly model: string;
  readonly lastRun: LastRun;
  /** Which budget is used up, in words; undefined while there is something left of all. */
  readonly exhausted: string | undefined;

  /**
   * One run. Returns undefined when the process leaves in the middle: the run has no end then, and
   * the next call continues it. Between two of its turns it carries out what `orders` has.
   */
  run(signal: AbortSignal, orders?: RunOrders): AsyncGenerator<AgentEvent, RunEnd | undefined>;

  /**
   * Has the conversation summarized while there is no run. The order is settled when it is done. Where
   * it is rejected, the conversation is as it was.
   */
  compact(order: CompactionOrder, signal: AbortSignal): AsyncGenerator<AgentEvent, void>;

  /**
   * Puts the oldest mail into the transcript, as much of it as `choose` says, though it is worth no
   * run: the next run shows it. False where there was nothing to take.
   */
  takeIn(choose: (unread: readonly Message[]) => number): Promise<boolean>;

  /** Ends a run that was cut short and will not continue. */
  endRun(reason: string): Promise<void>;

  /** Records that the last run is settled. */
  settleRun(): Promise<void>;
}

/** What the person wants of a run that is under way. */
export interface RunOrders {
  /** The next compaction that is to be carried out. The run that takes it settles it. */
  takeCompaction(): CompactionOrder | undefined;
}

/** A compaction that the person asks for. The caller is told how it went. */
export interface CompactionOrder {
  /** In the person's words, what the summary must keep. */
  readonly keep: string | undefined;
  resolve(report: CompactionReport): void;
  reject(reason: unknown): void;
}

/** What a compaction has done. */
export interface CompactionReport {
  /** The size of the conversation before: the tokens of the next request. */
  tokensBefore: number;
  /** Its size after, by an estimate. */
  tokensAfter: number;
}

/** The last run by the transcript; several processes may have taken part in it. */
export interface LastRun {
  /** The texts of all replies of the run that called no tool, in order. */
  readonly answers: readonly string[];
  /** The senders of the waking mail that the run has taken in. */
  readonly wakers: ReadonlySet<MemberName>;
  /** The tasks that the run was reminded of by the runtime. */
  readonly remindedOf: ReadonlySet<TaskId>;
  readonly calledTools: ReadonlySet<string>;
  /** True between a run's start and its end: when nothing runs it, its process was stopped. */
  readonly isOpen: boolean;
  /** How the last run ended; undefined while it is open, or where there was none. */
  readonly end: RecordedEnd | undefined;
  /** The end of the last run, while it is not settled. */
  readonly unsettledEnd: RecordedEnd | undefined;
}

/** How a run ended, and by which message it is reported. */
export interface RecordedEnd {
  readonly outcome: RunOutcome;
  readonly reason: string | undefined;
  readonly reportId: MessageId | undefined;
}

/** How a run ended, for its caller. */
export interface RunEnd {
  /** In a word, how it ended. */
  outcome: RunOutcome;
  /** The texts of all replies of the run that called no tool, in order. */
  answers: readonly string[];
  /** Why, where the outcome alone does not say it. */
  reason?: string;
  /** What the person can do about it, where that is known. */
  hint?: string;
  /** True when there was no reply, as opposed to one that is no use. */
  isUnanswered?: boolean;
}
