import type { MemberName } from "../../src/protocol/ids.ts";
import type {
  MemberHandle,
  MemberOrder,
  MemberState,
} from "../../src/team/members/member-handle.ts";

/** A member whose state a test sets, and which keeps its orders. */
export class SetMember implements MemberHandle {
  readonly name: MemberName;
  readonly orders: MemberOrder[] = [];
  readonly #listeners = new Set<() => void>();
  state: MemberState = {
    isBusy: false,
    isRunning: false,
    lookedAt: undefined,
    hasEnded: false,
    failure: undefined,
    isInterrupted: false,
    exhausted: undefined,
    runs: 0,
    lastEnd: undefined,
    lastAnswer: undefined,
    recordedEnd: undefined,
    isCutShort: false,
    lastCompaction: undefined,
    backgroundJobs: [],
    isTellingOfJobs: false,
    mode: "default",
    rules: [],
    model: "scripted",
  };

  constructor(name: MemberName) {
    this.name = name;
  }

  set(change: Partial<MemberState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async order(order: MemberOrder): Promise<void> {
    this.orders.push(order);
  }
}
