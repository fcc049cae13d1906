import { cancelled } from "../../agent/compaction-order.ts";
import type { CompactionOrder, CompactionReport, LastRun, RunEnd } from "../../agent/runner.ts";
import { describeError, TeamError } from "../../errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { interrupt, leave } from "../../lib/leaving.ts";
import { Listeners } from "../../lib/listeners.ts";
import { wait } from "../../lib/wait.ts";
import { parseRule } from "../../permissions/rule.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { Message, PermissionMode } from "../../protocol/message.ts";
import type { MemberStatus } from "../../protocol/team.ts";
import { BetweenLooks } from "./between-looks.ts";
import { CompactionOrders } from "./compaction-orders.ts";
import { Loop } from "./loop.ts";
import { MailOrders, type OrderHandlers } from "./mail-orders.ts";
import type { MemberParts, ModelAndEffort } from "./member-definition.ts";
import type { MemberHandle, MemberOrder, MemberState, RuleText } from "./member-handle.ts";
import { MemberRuns } from "./member-runs.ts";
import { StatusReport } from "./status-report.ts";
import { countSentBefore, countWithoutRun } from "./wake-policy.ts";

/** How a member that runs here is opened, what wakes it, and where its changes are reported. */
export interface LocalMemberOptions {
  name: MemberName;
  clock: Clock;
  /** True where the member continues a run that was cut short without being asked. */
  goesOnByItself: boolean;
  /** True while no run may begin. The member is woken when that is over. */
  isPaused(): boolean;
  orders: OrderHandlers;
  /** Opens it with its history; once more after a crash, with the model that was set since. */
  open(
    carryOut: (mail: readonly Message[]) => Promise<void>,
    choice?: ModelAndEffort,
  ): Promise<MemberParts>;
  /** Whether unread mail is worth a run, or a turn of one. */
  isWorthwhile(unread: readonly Message[], state: MemberState): boolean;
  /** Does everything that the end of a run brings about. Called again until it has resolved. */
  settle(run: LastRun, options: { hasEnded: boolean }): Promise<void>;
  onEvent(event: AgentEvent): void;
  /** Called with the status for the roster. */
  onStatus(status: MemberStatus, detail: string | undefined): void;
  /** Called after a throw in the loop, when nothing of the member runs. */
  onCrash(reason: string): void;
  /** Called when mail has come after the member's end. */
  onLateMail(): void;
  onWarning(message: string): void;
}

type WithdrawOrder = Extract<MemberOrder, { type: "withdraw" }>;
type RewindOrder = Extract<MemberOrder, { type: "rewind" }>;

type MemberCondition =
  | { type: "ready" }
  /** Only the lead or the person starts it again. */
  | { type: "failed"; reason: string }
  | { type: "ended" }
  /** The process leaves. */
  | { type: "left" };

/** How long a run may take to notice that it is to stop. */
const stopMs = 1_000;

/** A member that runs in this process: it wakes for mail, runs, settles the run, and looks again. */
export class LocalMember implements MemberHandle {
  readonly name: MemberName;
  readonly #options: LocalMemberOptions;
  readonly #orders: MailOrders;
  readonly #loop: Loop;
  readonly #changes = new Listeners<void>();
  readonly #runs: MemberRuns;
  readonly #status: StatusReport;
  readonly #betweenLooks = new BetweenLooks();
  readonly #compactions = new CompactionOrders();
  #condition: MemberCondition = { type: "ready" };
  #run: AbortController | undefined;
  #lastEnd: RunEnd | undefined;
  #isInterrupted = false;
  /** The person interrupted it before its run began. */
  #interruptsNext = false;
  #runCount = 0;
  /** True while it summarizes its conversation without a run. */
  #isCompacting = false;
  #lastCompaction: CompactionReport | undefined;
  /** A rewind has given it mail again. */
  #hasMailAgain = false;
  /** The mode that was ordered since the member was opened: it holds after a crash, too. */
  #mode: PermissionMode | undefined;
  /** The same of the model. */
  #choice: ModelAndEffort | undefined;

  private constructor(options: LocalMemberOptions, orders: MailOrders, parts: MemberParts) {
    this.name = options.name;
    this.#options = options;
    this.#orders = orders;
    this.#status = new StatusReport(options.onStatus);
    this.#loop = new Loop({
      work: () => this.#work(),
      onSleep: () => {
        // Not in a look that found nothing: what is to be interrupted may have come during it.
        this.#interruptsNext = false;
        this.#changes.emit();
      },
      onCrash: (error) => this.#crash(error),
    });
    this.#runs = new MemberRuns(parts, {
      open: async () => {
        const opened = await options.open((mail) => orders.carryOut(mail), this.#choice);
        if (this.#mode) opened.permissions.setMode(this.#mode);
        return opened;
      },
      settle: (run) => options.settle(run, { hasEnded: this.#hasEnded }),
      onMail: () => this.#onMail(),
      onEvent: (event) => this.#onEvent(event),
    });
    orders.onSettled(() => this.#changes.emit());
    this.#noteInterruption();
  }

  /** An interrupted member waits for mail, over a restart too. */
  #noteInterruption(): void {
    const { end } = this.#runs.last;
    this.#isInterrupted = end?.outcome === "interrupted" && end.reason === undefined;
  }

  static async open(options: LocalMemberOptions): Promise<LocalMember> {
    const { name: member, orders, onWarning } = options;
    const mailOrders = new MailOrders({ member, orders, onWarning });
    const parts = await options.open((mail) => mailOrders.carryOut(mail));
    return new LocalMember(options, mailOrders, parts);
  }

  get state(): MemberState {
    const { runner, inbox, backgroundJobs, isTellingOfJobs, permissions } = this.#runs.parts;
    const { lastRun, exhausted, model } = runner;
    return {
      isBusy: this.#isBusy,
      isRunning: this.#run !== undefined,
      lookedAt: inbox.lookedAt,
      hasEnded: this.#hasEnded,
      failure: this.#failure,
      isInterrupted: this.#isInterrupted,
      exhausted,
      runs: this.#runCount,
      lastEnd: this.#lastEnd,
      lastAnswer: lastRun.answers.at(-1),
      recordedEnd: lastRun.end,
      isCutShort: lastRun.isOpen,
      lastCompaction: this.#lastCompaction,
      backgroundJobs,
      isTellingOfJobs,
      mode: permissions.mode,
      rules: permissions.rules,
      model,
    };
  }

  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  async order(order: MemberOrder): Promise<void> {
    switch (order.type) {
      case "start":
        this.#loop.start();
        // A member that waits takes no mail, and its answer may have come between two processes.
        return this.#lookForOrders();
      case "wake":
        return this.#wake();
      case "respawn":
        this.#setMode(order.mode);
        return this.#status.forget();
      case "interrupt":
        return this.#interrupt();
      case "set-mode":
        return this.#setMode(order.mode);
      case "set-model":
        return this.#setModel({ model: order.model, effort: order.effort });
      case "set-rules":
        return this.#setRules(order.rules);
      case "rewind":
        return this.#rewind(order);
      case "go-back":
        return this.#goBack(order.number);
      case "compact":
        return this.#compact(order.keep);
      case "clear":
        return this.#clear();
      case "withdraw":
        return this.#withdraw(order);
      case "show-waiting":
        if (this.#run && !this.#hasEnded) this.#status.showWorking(order.detail);
        return;
      case "fail":
        this.#condition = { type: "failed", reason: order.reason };
        return;
      case "settle-orders":
        return this.#orders.settled();
      case "end":
        return this.#end(order.reason);
      case "leave":
        if (await this.#halt()) await this.#runs.parts[Symbol.asyncDispose]();
        return;
      case "make-way":
        return this.#makeWay();
    }
  }

  /** True from a wake on until there is nothing left to do. */
  get #isBusy(): boolean {
    return !this.#hasEnded && !(this.#loop.isAsleep && this.#orders.isIdle);
  }

  get #hasEnded(): boolean {
    return this.#condition.type === "ended" || this.#condition.type === "left";
  }

  get #failure(): string | undefined {
    return this.#condition.type === "failed" ? this.#condition.reason : undefined;
  }

  #setMode(mode: PermissionMode): void {
    this.#mode = mode;
    this.#runs.parts.permissions.setMode(mode);
  }

  async #setModel(choice: ModelAndEffort): Promise<void> {
    await this.#runs.parts.setModel(choice);
    this.#choice = choice;
    this.#status.setModels(choice.model);
    if (this.#run && !this.#hasEnded) this.#status.showWorking();
    this.#changes.emit();
  }

  #wake(): void {
    this.#loop.wake();
    this.#changes.emit();
  }

  #setRules(rules: readonly RuleText[]): void {
    const parsed = rules.map(({ decision, text }) => parseRule(decision, text));
    this.#runs.parts.permissions.setRules(parsed);
  }

  async #withdraw({ id, sender }: WithdrawOrder): Promise<void> {
    if (!(await this.#runs.parts.inbox.withdraw(id, sender))) return;
    const at = this.#options.clock.now().toISOString();
    this.#options.onEvent({ type: "message-withdrawn", at, member: this.name, id });
  }

  #rewind(order: RewindOrder): Promise<void> {
    return this.#atRest(() => this.#rewindTo(order));
  }

  #goBack(number: number): Promise<void> {
    return this.#atRest(async () => {
      await this.#runs.recover();
      await this.#runs.parts.goBack(number);
    });
  }

  async #atRest<T>(work: () => Promise<T>): Promise<T> {
    if (this.#hasEnded) throw hasStopped(this.name);
    if (this.#run) throw memberBusy(this.name);
    const done = this.#betweenLooks.add(async () => {
      if (this.#hasEnded) throw hasStopped(this.name);
      return await work();
    });
    this.#wake();
    return await done;
  }

  /** The next turn of its run takes it, or the loop where there is none. */
  async #compact(keep: string | undefined): Promise<void> {
    if (this.#hasEnded) throw hasStopped(this.name);
    const done = this.#compactions.add(keep);
    this.#wake();
    this.#lastCompaction = await done;
  }

  async #compactAtRest(): Promise<void> {
    for (let order = this.#nextCompaction(); order; order = this.#nextCompaction()) {
      const work = new AbortController();
      this.#run = work;
      this.#isCompacting = true;
      this.#status.show("working", "summarizes its conversation");
      try {
        await this.#runs.recover();
        await this.#runs.settleLast();
        await this.#runs.compact(order, work.signal);
      } catch (error) {
        order.reject(error);
      } finally {
        this.#run = undefined;
        this.#isCompacting = false;
        this.#showRest();
      }
    }
  }

  #nextCompaction(): CompactionOrder | undefined {
    return this.#hasEnded ? undefined : this.#compactions.takeCompaction();
  }

  async #clear(): Promise<void> {
    const size = await this.#atRest(async () => {
      await this.#runs.recover();
      await this.#runs.settleLast();
      return this.#runs.parts.clear(() =>
        this.#runs.closeLast("the person clears its conversation"),
      );
    });
    const at = this.#options.clock.now().toISOString();
    this.#options.onEvent({ type: "clear", at, member: this.name, context_tokens: size });
  }

  async #rewindTo({ point, begunAt }: RewindOrder): Promise<void> {
    await this.#runs.recover();
    const { runner, rewind } = this.#runs.parts;
    while (await runner.takeIn((unread) => countSentBefore(begunAt, unread)));
    this.#hasMailAgain = await rewind(point);
    this.#lastEnd = undefined;
    this.#status.forget();
    const { end } = this.#runs.last;
    const hasFailed = end?.outcome === "failed";
    this.#condition = hasFailed
      ? { type: "failed", reason: end.reason ?? "unknown" }
      : { type: "ready" };
    this.#noteInterruption();
  }

  #interrupt(): void {
    const isCancelled = this.#compactions.isWaiting && !this.#run;
    this.#compactions.rejectAll(cancelled(this.name));
    if (this.#run && this.#isCompacting) interrupt(this.#run);
    if (isCancelled || this.#isCompacting || !this.#isBusy) return;
    this.#isInterrupted = true;
    if (this.#run) interrupt(this.#run);
    else this.#interruptsNext = true;
  }

  async #end(reason: string): Promise<void> {
    if (this.#condition.type === "ended") return;
    // A process that leaves has stopped it already, and the next process does the rest. That one finds
    // it ended, and so reports no run of it.
    if (this.#hasLeft) {
      await this.#settled();
      return await this.#runs.settleLast();
    }
    this.#condition = { type: "ended" };
    if (this.#run) interrupt(this.#run, reason);
    await this.#settled();
    // A member with damaged files can be ended, too.
    if (!this.#run) {
      await this.#runs.closeLast(reason).catch((error: unknown) => {
        this.#options.onCrash(describeError(error));
      });
    }
    await this.#runs.parts.end();
    this.#changes.emit();
  }

  async #makeWay(): Promise<void> {
    if (!(await this.#halt())) return;
    await this.#runs.closeLast("another one of its name is spawned");
    await this.#runs.parts[Symbol.asyncDispose]();
  }

  /** False where it has ended, and nothing of it is left to stop. */
  async #halt(): Promise<boolean> {
    this.#runs.stopListening();
    if (this.#condition.type === "ended") return false;
    this.#condition = { type: "left" };
    if (this.#run) leave(this.#run);
    await this.#stopped();
    return true;
  }

  /** Resolves when it has stopped, and what is in its mailbox can be given back to the senders. */
  async #settled(): Promise<void> {
    await this.#stopped();
    await this.#runs.parts.mailSettled();
  }

  /** A tool that does not hear that it is to stop must not keep the member from ending. */
  async #stopped(): Promise<void> {
    const patience = new AbortController();
    const timeUp = wait(this.#options.clock, stopMs, patience.signal).catch(() => undefined);
    await Promise.race([this.#loop.stop(), timeUp]);
    patience.abort();
    await this.#betweenLooks.do();
    this.#compactions.rejectAll(hasStopped(this.name));
  }

  #onMail(): void {
    if (this.#hasEnded) this.#options.onLateMail();
    else void this.#lookForOrders();
    this.#wake();
  }

  async #lookForOrders(): Promise<void> {
    if (this.#hasEnded) return;
    try {
      await this.#orders.during(() => this.#runs.parts.inbox.unread());
    } catch (error) {
      this.#options.onWarning(`The mail of '${this.name}' cannot be read: ${String(error)}`);
    }
  }

  async #work(): Promise<boolean> {
    await this.#betweenLooks.do();
    await this.#compactAtRest();
    if (this.#hasEnded) return false;
    await this.#runs.settleLast();
    const unread = (await this.#runs.parts.inbox.unread()).map(({ message }) => message);
    if (!this.#hasReason(unread)) {
      if (unread.length > 0) await this.#takeWithoutRun();
      this.#showRest();
      return false;
    }
    await this.#runs.recover();
    await this.#runOnce();
    return true;
  }

  #hasReason(unread: readonly Message[]): boolean {
    if (this.#mayNotRun || this.#runs.parts.runner.exhausted) return false;
    if (this.#hasMailAgain) return true;
    const goesOn = this.#options.goesOnByItself && this.#condition.type === "ready";
    return (goesOn && this.#runs.last.isOpen) || this.#options.isWorthwhile(unread, this.state);
  }

  /**
   * What is taken in though it is worth no run: an order, which would be carried out again by the
   * next process, and what would keep a full mailbox from showing what lies behind it.
   */
  async #takeWithoutRun(): Promise<void> {
    if (this.#hasEnded || this.#runs.isCrashed) return;
    // Something may have come to light behind it.
    if (await this.#runs.parts.runner.takeIn(countWithoutRun)) this.#loop.wake();
  }

  get #mayNotRun(): boolean {
    const isOrdered = this.#betweenLooks.isWaiting || this.#compactions.isWaiting;
    return this.#hasEnded || isOrdered || this.#options.isPaused();
  }

  async #runOnce(): Promise<void> {
    // The member may have been ended or paused while it looked for a reason.
    if (this.#mayNotRun) return;
    this.#hasMailAgain = false;
    const run = new AbortController();
    this.#run = run;
    this.#condition = { type: "ready" };
    this.#isInterrupted = false;
    this.#runCount++;
    this.#status.showWorking();
    try {
      this.#lastEnd = await this.#runs.run(run.signal, this.#compactions);
    } finally {
      this.#run = undefined;
      this.#interruptsNext = false;
    }
    const end = this.#lastEnd;
    if (end?.outcome === "failed" && !this.#hasEnded) {
      this.#condition = { type: "failed", reason: end.reason ?? "unknown" };
    }
    // A process that leaves settles it at the next start: by then it has not ended.
    if (end && !this.#hasLeft) await this.#runs.settleLast();
  }

  get #hasLeft(): boolean {
    return this.#condition.type === "left";
  }

  #onEvent(event: AgentEvent): void {
    this.#options.onEvent(event);
    if (event.type === "model-change") this.#status.changeModel(event.from, event.to);
    // Not before it has taken its mail, which would have it run again.
    if (event.type === "turn-start" && this.#interruptsNext) this.#interrupt();
  }

  #showRest(): void {
    if (this.#hasEnded) return;
    const { exhausted } = this.#runs.parts.runner;
    if (this.#failure !== undefined) this.#status.show("failed", this.#failure);
    else this.#status.show("idle", exhausted ?? (this.#isInterrupted ? "interrupted" : undefined));
  }

  #crash(error: unknown): void {
    const reason = describeError(error);
    this.#runs.noteCrash();
    if (this.#hasEnded) return;
    // A repeated failure for the same reason is reported once.
    const isKnown = this.#failure === reason;
    this.#condition = { type: "failed", reason };
    this.#lastEnd = { outcome: "failed", answers: [], reason, isUnanswered: true };
    this.#status.show("failed", reason);
    if (!isKnown) this.#options.onCrash(reason);
  }
}

function hasStopped(name: MemberName): TeamError {
  return new TeamError("team-closed", `'${name}' was stopped before that was done`, {
    hint: "Do it again when the team is open.",
  });
}

function memberBusy(name: MemberName): TeamError {
  return new TeamError("team-busy", `'${name}' is working`, {
    hint: "Interrupt it first, and wait until it is idle.",
  });
}
