import type { AgentEvent, RequestChangeEvent } from "../../protocol/events.ts";

/** The events of one act, for checking its claims. */
export class SeenEvents {
  readonly #events: AgentEvent[] = [];

  note(event: AgentEvent): void {
    this.#events.push(event);
  }

  /** Whether `from` sent `to` a message of this type that was delivered. */
  hasRead(to: string, { from, type }: { from: string; type: string }): boolean {
    const ids = this.#events.flatMap((event) =>
      event.type === "message-sent" &&
      event.member === from &&
      event.to === to &&
      event.message_type === type
        ? [event.id]
        : [],
    );
    return this.#events.some(
      (event) =>
        event.type === "message-delivered" && event.member === to && ids.includes(event.id),
    );
  }

  /** How the requests of a type were decided, in order; only those of `from`, if given. */
  decisions(type: RequestChangeEvent["request_type"], from?: string): string[] {
    return this.#events.flatMap((event) =>
      event.type === "request-change" &&
      event.request_type === type &&
      event.state !== "pending" &&
      (from === undefined || event.member === from)
        ? [event.state]
        : [],
    );
  }

  /** Whether task `first` was completed before anybody began `second`. */
  keptOrder(first: string, second: string): boolean {
    const at = (id: string, status: string) =>
      this.#events.findIndex(
        (event) => event.type === "task-change" && event.id === id && event.status === status,
      );
    const completed = at(first, "completed");
    const begun = at(second, "in_progress");
    return completed !== -1 && completed < begun;
  }
}
