import type { Clock } from "../lib/clock.ts";
import type { AgentEvent } from "../protocol/events.ts";
import type { MemberName } from "../protocol/ids.ts";

/** The events that come in many small pieces of one text. */
type Delta = Extract<AgentEvent, { type: "text-delta" | "thinking-delta" | "tool-output" }>;

interface Joining {
  delta: Delta;
  cancel(): void;
}

const joinMs = 100;

/**
 * Passes events on in order, a member's deltas of one kind as one event per `joinMs`. Any other
 * event of that member comes after the text before it.
 */
export class DeltaJoiner {
  readonly #clock: Clock;
  readonly #pass: (event: AgentEvent) => void;
  readonly #joining = new Map<MemberName | undefined, Joining>();

  constructor(clock: Clock, pass: (event: AgentEvent) => void) {
    this.#clock = clock;
    this.#pass = pass;
  }

  push(event: AgentEvent): void {
    if (isDelta(event)) {
      this.#join(event);
    } else {
      this.#release(event.member);
      this.#pass(event);
    }
  }

  /** Passes on the text that is still being joined. */
  flush(): void {
    for (const member of [...this.#joining.keys()]) this.#release(member);
  }

  #join(delta: Delta): void {
    const joining = this.#joining.get(delta.member);
    if (joining && continues(joining.delta, delta)) {
      joining.delta.text += delta.text;
      return;
    }
    this.#release(delta.member);
    const cancel = this.#clock.schedule(joinMs, () => this.#release(delta.member));
    this.#joining.set(delta.member, { delta: { ...delta }, cancel });
  }

  #release(member: MemberName | undefined): void {
    const joining = this.#joining.get(member);
    if (!joining) return;
    joining.cancel();
    this.#joining.delete(member);
    this.#pass(joining.delta);
  }
}

function isDelta(event: AgentEvent): event is Delta {
  return (
    event.type === "text-delta" || event.type === "thinking-delta" || event.type === "tool-output"
  );
}

/** True if `next` continues the text of `delta`. */
function continues(delta: Delta, next: Delta): boolean {
  if (delta.type === "tool-output") {
    return next.type === "tool-output" && next.call_id === delta.call_id;
  }
  return next.type === delta.type;
}
