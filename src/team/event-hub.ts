import { TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { WakeLatch } from "../lib/wake-latch.ts";
import type { EventLog } from "../logs/event-log.ts";
import type { AgentEvent } from "../protocol/events.ts";

type UnstampedEvent<T> = T extends AgentEvent ? Omit<T, "at"> : never;

/** So many events may wait for an observer that does not read; then it is let go. */
const maxWaiting = 100_000;

/** Collects all events of a team for its log and its observers. */
export class EventHub {
  readonly #log: Pick<EventLog, "append">;
  readonly #clock: Clock;
  readonly #observers = new Set<Observation>();
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
    const observation = new Observation(() => this.#observers.delete(observation));
    if (this.#isClosed || signal?.aborted) observation.end();
    else this.#observers.add(observation);
    signal?.addEventListener("abort", () => observation.end(), { once: true });
    return observation;
  }

  close(): void {
    this.#isClosed = true;
    for (const observer of [...this.#observers]) observer.end();
  }

  #show(event: AgentEvent): void {
    for (const observer of this.#observers) observer.push(event);
  }
}

/** The events that one observer has yet to read. */
class Observation implements AsyncIterable<AgentEvent> {
  readonly #onEnd: () => void;
  #events: AgentEvent[] = [];
  #isEnded = false;
  #isTooSlow = false;
  readonly #latch = new WakeLatch();

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  push(event: AgentEvent): void {
    if (this.#events.length >= maxWaiting) {
      this.#isTooSlow = true;
      this.end();
      return;
    }
    this.#events.push(event);
    this.#latch.wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#onEnd();
    this.#latch.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void> {
    try {
      while (true) {
        yield* this.#events.splice(0);
        if (this.#events.length > 0) continue;
        if (this.#isTooSlow) throw tooSlow();
        if (this.#isEnded) return;
        await this.#latch.next();
      }
    } finally {
      this.end();
    }
  }
}

function tooSlow(): TeamError {
  return new TeamError("observer-slow", `An observer left ${maxWaiting} events unread`, {
    hint: "Read the events faster, or follow the stored ones with TeamView.events.",
  });
}
