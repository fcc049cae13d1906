import type { Clock } from "../lib/clock.ts";
import { Listeners } from "../lib/listeners.ts";
import type { AgentEvent, StoredEvent } from "../protocol/events.ts";
import type { MessageId } from "../protocol/ids.ts";
import { DeltaJoiner } from "./delta-joiner.ts";
import type { EventLog, FollowLogOptions } from "./event-log.ts";
import { follow } from "./follow.ts";

/** An event log for tests and temporary teams. It keeps the newest events. */
export class MemoryEventLog implements EventLog {
  readonly #joiner: DeltaJoiner;
  readonly #kept: StoredEvent[] = [];
  readonly #wakes = new Listeners<void>();
  #lastSeq = 0;

  constructor(clock: Clock) {
    this.#joiner = new DeltaJoiner(clock, (event) => this.#store(event));
  }

  append(event: AgentEvent): void {
    this.#joiner.push(event);
  }

  async flush(): Promise<void> {
    this.#joiner.flush();
  }

  async sentMessages(ids: ReadonlySet<MessageId>): Promise<Set<MessageId>> {
    return new Set(
      this.#kept.flatMap(({ event }) => {
        return event.type === "message-sent" && ids.has(event.id) ? [event.id] : [];
      }),
    );
  }

  async lastSeq(): Promise<number> {
    return this.#lastSeq;
  }

  follow({ after = 0, signal }: FollowLogOptions): AsyncGenerator<StoredEvent> {
    let last = after;
    const next = () => this.#firstAfter(last);
    return follow({
      async *readNew() {
        for (let stored = next(); stored; stored = next()) {
          last = stored.seq;
          yield stored;
        }
      },
      subscribe: (wake) => this.#wakes.add(wake),
      signal,
    });
  }

  /** The newest that are kept, at most `count`, oldest first. */
  newest(count: number): StoredEvent[] {
    return this.#kept.slice(-count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
  }

  #firstAfter(seq: number): StoredEvent | undefined {
    const oldest = this.#lastSeq - this.#kept.length + 1;
    return this.#kept[Math.max(seq + 1 - oldest, 0)];
  }

  #store(event: AgentEvent): void {
    this.#lastSeq += 1;
    this.#kept.push({ seq: this.#lastSeq, event });
    if (this.#kept.length > keptEvents) this.#kept.shift();
    this.#wakes.emit();
  }
}

const keptEvents = 10_000;
