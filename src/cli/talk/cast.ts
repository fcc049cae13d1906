import { describeInput } from "../../lib/describe-input.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import { lead, MemberName } from "../../protocol/ids.ts";
import type { Member, MemberStatus } from "../../protocol/team.ts";
import { totalTokens } from "../../protocol/usage.ts";

/** A member as a person sees it at a glance. */
export interface CastMember {
  readonly name: MemberName;
  readonly color: string | undefined;
  readonly role: string;
  readonly status: MemberStatus;
  /** What it is doing, or waits for; empty where its status says it all. */
  readonly activity: string;
  /** Since when it does that, in the clock's milliseconds. */
  readonly sinceMs: number;
  /** What the call that it makes has put out last. */
  readonly output: string;
  /** True while it waits for the person. */
  readonly isAsking: boolean;
  /** Everything its model was given and has said. */
  readonly tokens: number;
  readonly costUsd: number;
}

/** Everybody in the team, and what each of them is doing, from the events of the team. */
export class Cast {
  readonly #members = new Map<MemberName, CastMember>();
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
    this.#change(lead, { role: "lead", status: "idle" });
  }

  /** The lead first, then the others as they came. */
  get members(): readonly CastMember[] {
    return [...this.#members.values()];
  }

  get(name: MemberName): CastMember | undefined {
    return this.#members.get(name);
  }

  get isAnyAtWork(): boolean {
    return this.members.some(({ status }) => status === "working");
  }

  /** Takes over what the roster knows better than any event. */
  enlist(members: readonly Member[]): void {
    for (const { name, role, color, status, detail } of members) {
      const isNews = this.#members.get(name)?.status !== status;
      this.#change(name, { role, color, status, ...(isNews && { activity: detail ?? "" }) });
    }
  }

  setCost(name: MemberName, costUsd: number, tokens: number): void {
    if (this.#members.has(name)) this.#change(name, { costUsd, tokens });
  }

  note(event: AgentEvent): void {
    if (event.member === undefined || !MemberName.safeParse(event.member).success) return;
    const made = changeBy(event);
    if (!made) return;
    const { moreTokens = 0, moreOutput, ...change } = made;
    const before = this.#members.get(event.member);
    const tokens = (before?.tokens ?? 0) + moreTokens;
    const isSame = change.activity === undefined || change.activity === before?.activity;
    const output = moreOutput && `${before?.output ?? ""}${moreOutput}`.slice(-keptOutput);
    this.#change(event.member, {
      ...change,
      ...(output && { output }),
      tokens,
      ...(!isSame && { sinceMs: this.#monotonicMs() }),
    });
  }

  #change(name: MemberName, change: Partial<CastMember>): void {
    const before = this.#members.get(name) ?? newcomer(name, this.#monotonicMs());
    this.#members.set(name, { ...before, ...change });
  }
}

function newcomer(name: MemberName, sinceMs: number): CastMember {
  return {
    ...{ name, sinceMs, color: undefined, role: "", status: "idle", activity: "" },
    ...{ output: "", isAsking: false, tokens: 0, costUsd: 0 },
  };
}

type Change = Partial<CastMember> & { moreTokens?: number; moreOutput?: string };

/** More than is ever shown of it while a call runs. */
const keptOutput = 2_000;

function changeBy(event: AgentEvent): Change | undefined {
  switch (event.type) {
    case "member-change":
      return {
        status: event.status,
        // Whoever goes on working does what it did, or waits with it for the person.
        ...(event.status === "working" ? {} : { activity: event.detail ?? "" }),
      };
    case "run-start":
      return { status: "working", activity: "starts" };
    case "turn-start":
      return { status: "working", activity: "asks its model" };
    case "thinking-delta":
      return { activity: "thinks" };
    case "text-delta":
      return { activity: "writes" };
    case "tool-call":
      return { activity: `${event.name} ${describeInput(event.input)}`, output: "" };
    case "tool-output":
      return { moreOutput: event.text };
    case "tool-result":
      return { activity: "", output: "", isAsking: false };
    case "model-wait":
      return { activity: `waits: ${event.reason}` };
    case "compaction-start":
      return { activity: "summarizes its conversation" };
    case "turn-end":
      return { activity: "", moreTokens: totalTokens(event.usage) };
    case "request-change":
      if (event.request_type !== "permission") return undefined;
      return { isAsking: event.state === "pending" };
    default:
      return undefined;
  }
}
