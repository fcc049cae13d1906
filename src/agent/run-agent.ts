import { AsyncQueue } from "../lib/async-queue.ts";
import { escapeWrapper } from "../lib/escape-wrapper.ts";
import { interruptionReason, isLeaving } from "../lib/leaving.ts";
import type { AgentEvent } from "../protocol/events.ts";
import { newMessageId, user } from "../protocol/ids.ts";
import type { DeliveryEntry } from "../protocol/transcript.ts";
import type { Agent, EventDraft } from "./agent.ts";
import { CallRound } from "./call-round.ts";
import { compact, isNearlyFull } from "./compaction.ts";
import { carryOutCompaction } from "./compaction-order.ts";
import { Repetition } from "./repetition.ts";
import { type Reply, requestReply, type Setback } from "./request-reply.ts";
import { hasCalls, isCutShort, replyText } from "./run-record.ts";
import type { CompactionOrder, RunEnd, RunOrders } from "./runner.ts";

/**
 * Runs a member until it has replied to everything without calling a tool.
 *
 * Failures of the model and of tools are events and outcomes. A throw means a bug or a broken
 * store, and is the supervisor's to handle. Wherever a run stops, its conversation is valid; a run
 * that stops because the process exits has no end, returns undefined, and continues at the next
 * start.
 */
export async function* runAgent(
  agent: Agent,
  signal: AbortSignal,
  orders?: RunOrders,
): AsyncGenerator<AgentEvent, RunEnd | undefined> {
  const events = new AgentRun(agent, signal, orders).run();
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

/** How a run ends after a turn; undefined for another turn. */
type RunEnding = Omit<RunEnd, "answers"> | "left" | undefined;

/** Asked for however full the context seems: the count of its tokens may be an estimate. */
const leastOutput = 1_024;

/** How often in a row a reply may be cut short before the run fails. */
const maxCuts = 3;

/** How often in a run a hook may have it go on: more often it would never end. */
const maxGoings = 8;

class AgentRun {
  readonly #agent: Agent;
  readonly #signal: AbortSignal;
  readonly #orders: RunOrders | undefined;
  readonly #repetition = new Repetition();
  #turn = 0;
  /** How many replies in a row were cut short. */
  #cuts = 0;
  /** How long a reply may be. */
  #maxOutputTokens: number;
  /** How often a hook had the run go on. */
  #goings = 0;
  /** How full the context was when a compaction made no room. */
  #crampedAt = 0;

  constructor(agent: Agent, signal: AbortSignal, orders: RunOrders | undefined) {
    this.#agent = agent;
    this.#signal = signal;
    this.#orders = orders;
    this.#maxOutputTokens = agent.options.limits.maxOutputTokens;
  }

  async *run(): AsyncGenerator<EventDraft, RunEnd | undefined> {
    this.#agent.halt(undefined);
    await this.#agent.record({ type: "run-start" });
    yield { type: "run-start" };
    for (const message of this.#agent.takeNotices()) yield { type: "warning", message };
    // The calls that an earlier process left unanswered come first.
    yield* this.#answerCalls();

    let ending: RunEnding;
    while (!ending) ending = yield* this.#takeTurn();
    if (ending === "left") return undefined;

    const { outcome, reason, hint } = ending;
    const why = { ...(reason && { reason }) };
    const report_id = newMessageId(this.#agent.options.clock.now());
    await this.#agent.record({ type: "run-end", outcome, ...why, report_id });
    yield { type: "run-end", outcome, ...why, ...(hint && { hint }) };
    return { ...ending, answers: this.#agent.lastRun.answers };
  }

  async *#takeTurn(): AsyncGenerator<EventDraft, RunEnding> {
    const stopped = this.#stopped();
    if (stopped) return stopped;
    yield* this.#takeInput();
    if (!this.#agent.conversation.awaitsReply) {
      if (await this.#goesOnByHook()) return undefined;
      return this.#stopped() ?? { outcome: "done" };
    }
    yield* this.#takeModel();
    const limit = this.#limit();
    if (limit) return limit;
    const ordered = this.#orders?.takeCompaction();
    if (ordered || (this.#shouldCompact() && (await this.#mayCompact()))) {
      const setback = yield* ordered ? this.#carryOut(ordered) : this.#compact();
      if (setback) return setback;
      yield* this.#takeInput();
    }

    this.#turn++;
    await this.#addText();
    // Once more: another one may have been set while the conversation was summarized, or by a hook.
    yield* this.#takeModel();
    yield { type: "turn-start", turn: this.#turn };
    const reply = yield* this.#requestWholeReply();
    if (reply.type !== "reply") return this.#setBack(reply);
    const { model, blocks, stop, usage } = reply;
    await this.#agent.record({ type: "reply", model, blocks, stop, usage });
    yield* this.#answerCalls();
    yield { type: "turn-end", turn: this.#turn, usage };
    return yield* this.#afterReply(reply);
  }

  /**
   * Takes mail in, twice: what comes while the first is recorded, such as the reports of teammates
   * that end together, is shown in the same request.
   */
  async *#takeInput(): AsyncGenerator<EventDraft> {
    const { conversation, options } = this.#agent;
    const taken: DeliveryEntry[] = [];
    for (let look = 0; look < 2; look++) {
      const found = await options.input.take(conversation.awaitsReply, taken);
      // The mail of a member that ends goes back to its senders, and so must not be shown here.
      if (found.length === 0 || this.#isEnding) return;
      const mail = await this.#agent.takeIn(found, (left) => this.#agent.append(left));
      this.#repetition.noteMail();
      for (const { message } of mail) yield { type: "message-delivered", id: message.id };
      taken.push(...mail);
    }
  }

  /** Switches to the model that was set since the last request. */
  async *#takeModel(): AsyncGenerator<EventDraft> {
    const notices = await this.#agent.takeModel();
    if (!notices) return;
    this.#maxOutputTokens = this.#agent.options.limits.maxOutputTokens;
    this.#crampedAt = 0;
    for (const message of notices) yield { type: "warning", message };
  }

  /** Adds what a hook of the program has to say. */
  async #addText(): Promise<void> {
    const { name: member, hooks, secrets } = this.#agent.options;
    const request = { member, turn: this.#turn, signal: this.#signal };
    const text = (await hooks?.beforeRequest(request))?.trim();
    if (!text) return;
    const note = secrets.mask(escapeWrapper(text));
    await this.#agent.record({ type: "note", text: note, wakes: false });
  }

  /** Whether a hook has the member go on although everything is answered. */
  async #goesOnByHook(): Promise<boolean> {
    const { name: member, hooks, secrets } = this.#agent.options;
    if (!hooks || this.#turn === 0 || this.#signal.aborted || this.#goings >= maxGoings)
      return false;
    const answer = this.#agent.lastRun.answers.at(-1) ?? "";
    const end = { member, answer, times: this.#goings, signal: this.#signal };
    const reason = await hooks.beforeEnd(end);
    if (reason === undefined || this.#signal.aborted) return false;
    this.#goings++;
    const note = secrets.mask(escapeWrapper(reason));
    await this.#agent.record({ type: "note", text: note, wakes: true });
    return true;
  }

  /** True when the member ends, or its process; not when the person has only interrupted it. */
  get #isEnding(): boolean {
    return isLeaving(this.#signal) || interruptionReason(this.#signal) !== undefined;
  }

  #stopped(): RunEnding {
    const { haltReason } = this.#agent;
    if (!this.#signal.aborted && haltReason !== undefined) {
      return { outcome: "interrupted", reason: haltReason };
    }
    if (!this.#signal.aborted) return undefined;
    if (isLeaving(this.#signal)) return "left";
    const reason = interruptionReason(this.#signal);
    return { outcome: "interrupted", ...(reason && { reason }) };
  }

  #limit(): RunEnding {
    const { limits, bill } = this.#agent.options;
    if (bill.exhausted) return { outcome: "budget", reason: bill.exhausted };
    if (this.#turn < limits.maxTurns) return undefined;
    return { outcome: "turn-limit", reason: reachedTurns(limits.maxTurns) };
  }

  /**
   * One request; where the reply is cut short by the limit of its length, another with more room for
   * it, once in a run. Of a reply that is cut again, the beginning counts; if there is no second one, the
   * first counts.
   */
  async *#requestWholeReply(): AsyncGenerator<EventDraft, Reply> {
    const reply = yield* this.#requestReply();
    const limit = this.#maxOutputTokens;
    const more = this.#roomForReply;
    const { bill } = this.#agent.options;
    const isCut = reply.type === "reply" && reply.stop === "length";
    if (!isCut || more <= limit || bill.exhausted || this.#signal.aborted) return reply;
    const reason = `the reply was cut at ${limit} tokens, so it is requested with up to ${more}`;
    yield { type: "reply-restart", reason };
    this.#maxOutputTokens = more;
    const longer = yield* this.#request();
    if (longer.type === "reply" || this.#signal.aborted) return longer;
    this.#maxOutputTokens = limit;
    // The server at this address may allow less than the model's own provider, which is no news.
    if (longer.type === "failed" && longer.failure.kind !== "bad-request") {
      const message = `The longer reply did not come, so the one that was cut counts: ${longer.failure.message}`;
      yield { type: "warning", message };
    }
    return reply;
  }

  /** How long a reply may be at most: some providers refuse a limit that the context has no room for. */
  get #roomForReply(): number {
    return Math.min(this.#agent.options.limits.raisedOutputTokens ?? 0, this.#room);
  }

  /** How many tokens of the context are free. */
  get #room(): number {
    const { conversation, options } = this.#agent;
    return options.limits.contextTokens - conversation.contextTokens;
  }

  /** One request; where the conversation turns out too long for it, another after a compaction. */
  async *#requestReply(): AsyncGenerator<EventDraft, Reply> {
    const reply = yield* this.#request();
    if (reply.type !== "failed" || reply.failure.kind !== "too-long") return reply;
    const setback = yield* compact(this.#agent, this.#signal);
    if (setback) return setback;
    yield* this.#takeInput();
    return yield* this.#request();
  }

  /** One request; where the provider refuses an image, others with fewer images. */
  async *#request(): AsyncGenerator<EventDraft, Reply> {
    const agent = this.#agent;
    while (true) {
      const reply = yield* requestReply(agent, {
        conversation: agent.conversation.utterances,
        signal: this.#signal,
        maxOutputTokens: Math.min(this.#maxOutputTokens, Math.max(this.#room, leastOutput)),
      });
      const isRefused = reply.type === "failed" && reply.failure.kind === "bad-image";
      if (!isRefused) return reply;
      const message = await agent.leaveOutImages(reply.failure.message);
      if (!message) return reply;
      yield { type: "warning", message };
    }
  }

  /** A compaction that the person asks for. If it fails, the run continues without it. */
  async *#carryOut(order: CompactionOrder): AsyncGenerator<EventDraft, RunEnding> {
    yield* carryOutCompaction(this.#agent, order, this.#signal);
    return this.#stopped() ?? this.#limit();
  }

  #shouldCompact(): boolean {
    // Where one made no room, only once there is more: or every turn would pay for another.
    const { contextTokens } = this.#agent.conversation;
    return isNearlyFull(this.#agent) && contextTokens > this.#crampedAt * 1.05;
  }

  /** False where a hook prevents an early compaction: the next one is due when there is more. */
  async #mayCompact(): Promise<boolean> {
    const { name: member, hooks } = this.#agent.options;
    const compaction = { member, trigger: "auto", keep: undefined, signal: this.#signal } as const;
    const refusal = await hooks?.beforeCompaction(compaction);
    if (refusal === undefined) return true;
    this.#crampedAt = this.#agent.conversation.contextTokens;
    return false;
  }

  /** An early compaction may fail: then the run continues while there is room. */
  async *#compact(): AsyncGenerator<EventDraft, RunEnding> {
    const setback = yield* compact(this.#agent, this.#signal);
    const { contextTokens } = this.#agent.conversation;
    this.#crampedAt = isNearlyFull(this.#agent) ? contextTokens : 0;
    if (!setback) return this.#limit();
    if (setback.type === "exhausted" || this.#signal.aborted) return this.#setBack(setback);
    const { message } = setback.failure;
    yield { type: "warning", message: `The conversation was not summarized: ${message}` };
    return undefined;
  }

  #setBack(setback: Setback): RunEnding {
    const stopped = this.#stopped();
    if (stopped) return stopped;
    if (setback.type === "exhausted") return { outcome: "budget", reason: setback.reason };
    const { message: reason, hint } = setback.failure;
    return { outcome: "failed", reason, ...(hint && { hint }), isUnanswered: true };
  }

  async *#afterReply(
    reply: Extract<Reply, { type: "reply" }>,
  ): AsyncGenerator<EventDraft, RunEnding> {
    const { blocks, stop, rawStop } = reply;
    if (stop === "refusal") {
      return { outcome: "failed", reason: "the provider refused to answer (stop reason: refusal)" };
    }
    if (this.#repetition.endReply()) {
      return { outcome: "failed", reason: "it makes the same calls again and again" };
    }
    if (stop === "other") {
      const reason = `the model stopped for an unknown reason (${rawStop ?? "none given"})`;
      if (replyText(blocks).trim() === "" && !hasCalls(blocks))
        return { outcome: "failed", reason };
      yield { type: "warning", message: `In this reply ${reason}` };
    }
    const isEmpty = stop === "end" && replyText(blocks).trim() === "" && !hasCalls(blocks);
    // To the mail of others, or after calls, a model may well have nothing to say.
    if (isEmpty && this.#turn === 1 && this.#agent.lastRun.wakers.has(user))
      yield { type: "warning", message: "The reply was empty: ask again, or use another model" };
    if (isCutShort(stop, blocks)) return this.#goOn(hasCalls(blocks));
    this.#cuts = 0;
    return undefined;
  }

  /** After a reply that was cut short. Its calls are answered as not run, so only a text needs a word. */
  async #goOn(hasCalls: boolean): Promise<RunEnding> {
    this.#cuts++;
    if (this.#cuts > maxCuts) {
      const limit = this.#maxOutputTokens;
      return {
        outcome: "failed",
        reason: `its reply was cut short ${this.#cuts} times in a row, at ${limit} tokens`,
        hint: "Ask for less at a time, or allow longer replies: max-output, as a setting or a flag, and for a model that troupe does not know also under models.",
      };
    }
    if (!hasCalls) await this.#agent.record({ type: "note", text: goOn, wakes: true });
    return undefined;
  }

  async *#answerCalls(): AsyncGenerator<EventDraft> {
    if (this.#agent.conversation.openCalls.length === 0) return;
    const events = new AsyncQueue<EventDraft>();
    // A consumer that stops listening in the middle stops the calls as well.
    const stop = new AbortController();
    const abort = () => stop.abort(this.#signal.reason);
    this.#signal.addEventListener("abort", abort);
    if (this.#signal.aborted) abort();
    const round = new CallRound({
      agent: this.#agent,
      repetition: this.#repetition,
      signal: stop.signal,
      emit: (event) => events.push(event),
    });
    const work = round.run().finally(() => events.close());
    // The work is awaited below; until then its failure is not unhandled.
    work.catch(() => undefined);
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

function reachedTurns(count: number): string {
  return `the run reached its limit of ${count} ${count === 1 ? "turn" : "turns"}`;
}
