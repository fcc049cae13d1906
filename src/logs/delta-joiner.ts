import type { Clock } from "../lib/clock.ts";
import type { AgentEvent } from "../protocol/events.ts";
import type { MemberName } from "../protocol/ids.ts";

type TextDelta = Extract<AgentEvent, { type: "text-delta" }>;

interface Joining {
  delta: TextDelta;
  cancel(): void;
}

const joinMs = 100;

/**
 * Passes events on in order, a member's text deltas as one event per `joinMs`. Any other event of
 * that member comes after the text before it.
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
    if (event.type === "text-delta") {
      this.#join(event);
    } else {
      this.#release(event.member);
      this.#pass(event);
    }
  }

  /** Passes on what is still being joined. */
  flush(): void {
    for (const member of [...this.#joining.keys()]) this.#release(member);
  }

  #join(delta: TextDelta): void {
    const joining = this.#joining.get(delta.member);
    if (joining) {
      joining.delta.text += delta.text;
      return;
    }
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
