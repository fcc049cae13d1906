import type { AgentEvent, StoredEvent } from "../protocol/events.ts";
import type { MessageId } from "../protocol/ids.ts";

/** From where and until when a reader follows a log. */
export interface FollowLogOptions {
  /** The last number the follower has seen (default: none, so that all kept events come first). */
  after?: number;
  /** Ends the following when it is aborted. */
  signal: AbortSignal;
}

/** The operations of any process on a team's events. */
export interface EventReader {
  /** The number of the newest stored event, 0 when there is none. */
  lastSeq(): Promise<number>;

  /**
   * Yields the stored events after `after`, then each new one, until `signal` aborts: in order,
   * none missed, none twice. A follower that reads slowly costs no memory; one that sleeps until
   * events are dropped finds a gap in the numbers.
   */
  follow(options: FollowLogOptions): AsyncIterable<StoredEvent>;
}

/**
 * What observers see of a team, bounded and numbered. One process writes it.
 *
 * Every backend promises, and src/testing/conformance/event-log.ts checks, that:
 * - events are stored in the order of `append`, under numbers that only grow, restarts included;
 * - text deltas of a member are joined for 100 ms, or until another event of that member comes;
 * - `append` never throws and never waits: where events cannot be stored they are lost, and a
 *   `warning` says how many as soon as storing works again;
 * - `flush` and disposal store what is still being joined.
 */
export interface EventLog extends EventReader, AsyncDisposable {
  /** Adds an event at the end. */
  append(event: AgentEvent): void;

  /**
   * Those of `ids` that have a `message-sent` event among the events that are kept. Events from
   * before `since` may be left out.
   */
  sentMessages(ids: ReadonlySet<MessageId>, since: Date): Promise<Set<MessageId>>;

  /** Stores what is still being joined, and resolves when it is stored. */
  flush(): Promise<void>;
}
