import { AsyncQueue } from "../lib/async-queue.ts";
import { isLeaving } from "../lib/leaving.ts";
import type { AgentEvent } from "../protocol/events.ts";
import type { Outcome } from "../protocol/message.ts";
import type { Agent, EventDraft } from "./agent.ts";
import { CallRound } from "./call-round.ts";
import { compact, isNearlyFull } from "./compaction.ts";
import { Repetition } from "./repetition.ts";
import { type Reply, replyText, requestReply } from "./request-reply.ts";

/** How a run ended. */
export interface RunEnd {
  outcome: Outcome;
  /** The texts of all replies of the run that called no tool, in order. */
  answers: readonly string[];
  /** Why, where the outcome alone does not say it, and what to do about it. */
  reason?: string;
  hint?: string;
}

/**
 * Runs a member until it has replied to everything without calling a tool.
 *
 * Failures of the model and of tools are events and outcomes. A throw means a bug or a broken
 * store, and is the supervisor's to handle. Wherever a run stops, its conversation is valid; one
 * that stops because the process leaves has no end, returns undefined, and goes on another time.
 */
export async function* runAgent(
  agent: Agent,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, RunEnd | undefined> {
  const events = new AgentRun(agent, signal).run();
  try {
    while (true) {
      const next = await events.next();
      if (next.done) return next.value;
      yield agent.stamp(next.value);
    }
  } finally {
    await events.return(undefined);
  }
}

/** What one turn of the loop leads to: another, or the end. */
type Ending = Omit<RunEnd, "answers"> | "left" | undefined;

/** How often in a row a reply may meet the limit of its length before the run fails. */
const maxCuts = 3;

class AgentRun {
  readonly #agent: Agent;
  readonly #signal: AbortSignal;
  readonly #repetition = new Repetition();
  readonly #answers: string[] = [];
  #turn = 0;
  #cuts = 0;
  #compactionFailedAt = 0;

  constructor(agent: Agent, signal: AbortSignal) {
    this.#agent = agent;
    this.#signal = signal;
  }

  async *run(): AsyncGenerator<EventDraft, RunEnd | undefined> {
    await this.#agent.record({ type: "run-start" });
    yield { type: "run-start" };
    // What an earlier process left unanswered, before anything else is said.
    yield* this.#answerCalls();

    let ending: Ending;
    while (!ending) ending = yield* this.#takeTurn();
    if (ending === "left") return undefined;

    const { outcome, reason } = ending;
    await this.#agent.record({ type: "run-end", outcome, ...(reason && { reason }) });
    yield { type: "run-end", ...ending };
    return { ...ending, answers: this.#answers };
  }

  async *#takeTurn(): AsyncGenerator<EventDraft, Ending> {
    const stopped = this.#stopped();
    if (stopped) return stopped;
    await this.#takeInput();
    const { conversation } = this.#agent;
    if (!conversation.awaitsReply) return { outcome: "done" };
    const limit = this.#limit();
    if (limit) return limit;
    if (this.#shouldCompact()) yield* this.#compact();

    this.#turn++;
    yield { type: "turn-start", turn: this.#turn };
    const reply = yield* this.#requestReply();
    if (reply.type === "failed") return this.#failed(reply);
    await this.#agent.record({
      type: "reply",
      blocks: reply.blocks,
      stop: reply.stop,
      usage: reply.usage,
    });
    yield* this.#answerCalls();
    yield { type: "turn-end", turn: this.#turn, usage: reply.usage };
    return this.#afterReply(reply);
  }

  async #takeInput(): Promise<void> {
    const { entries, settle } = await this.#agent.options.input.take();
    await this.#agent.append(entries);
    await settle();
  }

  #stopped(): Ending {
    if (!this.#signal.aborted) return undefined;
    return isLeaving(this.#signal) ? "left" : { outcome: "interrupted" };
  }

  #limit(): Ending {
    const { limits, bill } = this.#agent.options;
    const reason = bill.exhausted;
    if (reason) return { outcome: "budget", reason };
    if (this.#turn < limits.maxTurns) return undefined;
    return { outcome: "turn-limit", reason: `the run has had its ${limits.maxTurns} turns` };
  }

  /** One request; where the conversation turns out too long for it, another after a compaction. */
  async *#requestReply(): AsyncGenerator<EventDraft, Reply> {
    const { conversation } = this.#agent;
    const signal = this.#signal;
    const request = () =>
      requestReply(this.#agent, { conversation: conversation.utterances, signal });
    const reply = yield* request();
    if (reply.type !== "failed" || reply.failure.kind !== "too-long") return reply;
    const failure = yield* compact(this.#agent, signal);
    if (failure) return { type: "failed", failure };
    return yield* request();
  }

  #shouldCompact(): boolean {
    // After a failure only once the conversation has grown, or every turn would pay for another.
    const { conversation } = this.#agent;
    return (
      isNearlyFull(this.#agent) && conversation.contextTokens > this.#compactionFailedAt * 1.05
    );
  }

  /** A compaction in good time may fail: then the run goes on while there is room. */
  async *#compact(): AsyncGenerator<EventDraft> {
    const failure = yield* compact(this.#agent, this.#signal);
    this.#compactionFailedAt = failure ? this.#agent.conversation.contextTokens : 0;
    if (!failure) return;
    yield { type: "warning", message: `The conversation was not summarized: ${failure.message}` };
  }

  #failed({ failure }: Extract<Reply, { type: "failed" }>): Ending {
    const stopped = this.#stopped();
    if (stopped) return stopped;
    const { message, hint } = failure;
    return { outcome: "failed", reason: message, ...(hint && { hint }) };
  }

  async #afterReply({ blocks, stop }: Extract<Reply, { type: "reply" }>): Promise<Ending> {
    if (stop === "refusal") {
      return { outcome: "failed", reason: "the provider refused to answer (stop reason: refusal)" };
    }
    if (this.#repetition.isHopeless) {
      return { outcome: "failed", reason: "it made the same call again and again" };
    }
    if (blocks.some(({ type }) => type === "tool-call")) return undefined;
    const text = replyText(blocks);
    if (text !== "") this.#answers.push(text);
    const isCut = stop === "length" || stop === "overflow" || stop === "pause";
    this.#cuts = isCut ? this.#cuts + 1 : 0;
    if (!isCut) return undefined;
    if (this.#cuts > maxCuts) {
      return { outcome: "failed", reason: `its reply was cut short ${this.#cuts} times in a row` };
    }
    await this.#agent.record({ type: "note", text: goOn, wakes: true });
    return undefined;
  }

  async *#answerCalls(): AsyncGenerator<EventDraft> {
    if (this.#agent.conversation.openCalls.length === 0) return;
    const events = new AsyncQueue<EventDraft>();
    // Whoever stops listening in the middle stops the calls as well.
    const stop = new AbortController();
    const abort = () => stop.abort(this.#signal.reason);
    this.#signal.addEventListener("abort", abort, { once: true });
    if (this.#signal.aborted) abort();
    const round = new CallRound({
      agent: this.#agent,
      repetition: this.#repetition,
      signal: stop.signal,
      emit: (event) => events.push(event),
    });
    const work = round.run().finally(() => events.close());
    try {
      yield* events;
    } finally {
      stop.abort();
      this.#signal.removeEventListener("abort", abort);
      await work;
    }
  }
}

const goOn = "(Your reply was cut short by the limit of its length. Go on where it stopped.)";
