import { TeamError } from "../errors.ts";
import { AsyncQueue } from "../lib/async-queue.ts";
import type { Clock } from "../lib/clock.ts";
import type { EventLog } from "../logs/event-log.ts";
import type { AgentEvent } from "../protocol/events.ts";

type UnstampedEvent<T> = T extends AgentEvent ? Omit<T, "at"> : never;

/** So many events may wait for an observer that does not read; then it is let go. */
const maxWaiting = 100_000;

/** Collects all events of a team for its log and its observers. */
export class EventHub {
  readonly #log: Pick<EventLog, "append">;
  readonly #clock: Clock;
  readonly #observers = new Set<AsyncQueue<AgentEvent>>();
  #isClosed = false;

  constructor(log: Pick<EventLog, "append">, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  say(event: UnstampedEvent<AgentEvent>): void {
    this.emit({ ...event, at: this.#clock.now().toISOString() });
  }

  emit(event: AgentEvent): void {
    this.#log.append(event);
    this.#show(event);
  }

  /** Shows observers an event that the store has logged by itself. */
  showLogged(event: UnstampedEvent<AgentEvent>): void {
    this.#show({ ...event, at: this.#clock.now().toISOString() });
  }

  /** Every event from now on, until `signal` is aborted or the team is closed. */
  observe(signal?: AbortSignal): AsyncIterable<AgentEvent> {
    const queue = new AsyncQueue<AgentEvent>();
    if (this.#isClosed || signal?.aborted) queue.close();
    else this.#observers.add(queue);
    signal?.addEventListener("abort", () => this.#end(queue), { once: true });
    return this.#read(queue);
  }

  close(): void {
    this.#isClosed = true;
    for (const queue of this.#observers) this.#end(queue);
  }

  #show(event: AgentEvent): void {
    for (const queue of this.#observers) {
      if (queue.size < maxWaiting) queue.push(event);
      else this.#end(queue, tooSlow());
    }
  }

  async *#read(queue: AsyncQueue<AgentEvent>): AsyncGenerator<AgentEvent, void> {
    try {
      yield* queue;
    } finally {
      this.#end(queue);
    }
  }

  #end(queue: AsyncQueue<AgentEvent>, error?: TeamError): void {
    if (this.#observers.delete(queue)) queue.close(error);
  }
}

function tooSlow(): TeamError {
  return new TeamError("observer-slow", `An observer left ${maxWaiting} events unread`, {
    hint: "Read the events faster, or follow the stored ones with TeamView.events.",
  });
}
