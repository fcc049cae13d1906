import type { Agent } from "../../agent/agent.ts";
import { type RunEnd, runAgent } from "../../agent/run-agent.ts";
import { TeamError } from "../../errors.ts";
import { interrupt, leave } from "../../lib/leaving.ts";
import { wait } from "../../lib/wait.ts";
import { type MemberName, newMessageId } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { MemberStatus } from "../../protocol/team.ts";
import { Loop } from "./loop.ts";
import type { OpenMember } from "./open-member.ts";
import type { TeamMemberOptions } from "./team-member-options.ts";

type Condition =
  | { type: "ready" }
  /** Only the lead or the person starts it again. */
  | { type: "failed"; reason: string }
  | { type: "ended" }
  /** The process leaves. */
  | { type: "left" };

/** How long a run may take to notice that it is to stop. */
const stopMs = 1_000;

/** One member at work: it wakes for mail, runs, settles the run, and looks again. */
export class TeamMember {
  readonly name: MemberName;
  readonly #options: TeamMemberOptions;
  readonly #loop: Loop;
  #opened: OpenMember;
  #stopListening: () => void = () => undefined;
  #isCrashed = false;
  #condition: Condition = { type: "ready" };
  #run: AbortController | undefined;
  #lastEnd: RunEnd | undefined;
  /** The person interrupted it: it does not look for work by itself. */
  #isInterrupted = false;
  #shown: { status: MemberStatus; detail: string | undefined } | undefined;
  /** The person interrupted it before its run began. */
  #interruptsNext = false;
  #idleSince = 0;
  #runs = 0;

  private constructor(options: TeamMemberOptions, opened: OpenMember) {
    this.name = options.name;
    this.#options = options;
    this.#opened = opened;
    this.#loop = new Loop({
      work: () => this.#work(),
      onSleep: () => {
        // Not in a look that found nothing: what is to be interrupted may have come during it.
        this.#interruptsNext = false;
        this.#idleSince = options.clock.monotonicMs();
        options.onChange();
      },
      onCrash: (error) => this.#crash(error),
    });
    this.#listen();
    // Whoever was interrupted waits for a word, over a restart too.
    const { end } = opened.agent.lastRun;
    this.#isInterrupted = end?.outcome === "interrupted" && end.reason === undefined;
  }

  static async open(options: TeamMemberOptions): Promise<TeamMember> {
    return new TeamMember(options, await options.open());
  }

  start(): void {
    this.#loop.start();
  }

  /** Says that there may be something to do. */
  wake(): void {
    this.#loop.wake();
    this.#options.onChange();
  }

  get opened(): OpenMember {
    return this.#opened;
  }

  /** True from a wake on until there is nothing left to do. */
  get isBusy(): boolean {
    return !this.#loop.isAsleep && !this.hasEnded;
  }

  get hasEnded(): boolean {
    return this.#condition.type === "ended" || this.#condition.type === "left";
  }

  get #hasLeft(): boolean {
    return this.#condition.type === "left";
  }

  get failure(): string | undefined {
    return this.#condition.type === "failed" ? this.#condition.reason : undefined;
  }

  /** How its last run in this process ended. */
  get lastEnd(): RunEnd | undefined {
    return this.#lastEnd;
  }

  /** Which budget keeps it from being woken, in words. */
  get exhausted(): string | undefined {
    return this.#opened.agent.options.bill.exhausted;
  }

  /** True when it has nothing to do and may look for work. */
  get isFree(): boolean {
    const isReady = this.#condition.type === "ready" && this.#loop.isAsleep;
    return isReady && !this.#isInterrupted && !this.exhausted;
  }

  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /** How many runs it has begun in this process. */
  get runs(): number {
    return this.#runs;
  }

  get idleSince(): number {
    return this.#idleSince;
  }

  /** It is known to have failed in an earlier process. */
  markFailed(reason: string): void {
    this.#condition = { type: "failed", reason };
  }

  /** What it waits for in the middle of a run, for the roster. */
  showWaiting(detail: string | undefined): void {
    if (this.#run && !this.hasEnded) this.#show("working", detail);
  }

  /** Somebody else has put its status into the roster. */
  forgetShown(): void {
    this.#shown = undefined;
  }

  /** The person stops its run. It does nothing then until its lead or the person writes. */
  interrupt(): void {
    if (!this.isBusy) return;
    this.#isInterrupted = true;
    if (this.#run) interrupt(this.#run);
    else this.#interruptsNext = true;
  }

  /** Ends it for good. Resolves when nothing of it runs any more. */
  async end(reason: string): Promise<void> {
    if (this.hasEnded) return;
    this.#condition = { type: "ended" };
    if (this.#run) interrupt(this.#run, reason);
    await this.#stopped();
    if (!this.#run) await this.#tryToCloseLastRun(reason);
    await this.#opened.end();
    this.#options.onChange();
  }

  /** Stops it because the process leaves: it goes on at the next start. */
  async leave(): Promise<void> {
    if (await this.#halt()) await this.#opened[Symbol.asyncDispose]();
  }

  /** Stops it for one of its name that begins anew: what it has said must be known by then. */
  async makeWay(): Promise<void> {
    if (!(await this.#halt())) return;
    await this.#closeLastRun("another one of its name is spawned");
    await this.#opened[Symbol.asyncDispose]();
  }

  /** False where it has ended, and nothing of it is left to stop. */
  async #halt(): Promise<boolean> {
    this.#stopListening();
    if (this.#condition.type === "ended") return false;
    this.#condition = { type: "left" };
    if (this.#run) leave(this.#run);
    await this.#stopped();
    return true;
  }

  /** A tool that does not hear that it is to stop must not keep the member from ending. */
  async #stopped(): Promise<void> {
    const patience = new AbortController();
    const timeUp = wait(this.#options.clock, stopMs, patience.signal).catch(() => undefined);
    await Promise.race([this.#loop.stop(), timeUp]);
    patience.abort();
  }

  #listen(): void {
    this.#stopListening = this.#opened.reader.onWake(() => {
      this.#options.onMail();
      this.wake();
    });
  }

  async #work(): Promise<boolean> {
    if (this.hasEnded) return false;
    if (this.#isCrashed && this.#opened.agent.lastRun.unsettledEnd) await this.#reopen();
    if (this.#opened.agent.lastRun.unsettledEnd) await this.#settle();
    const unread = (await this.#opened.reader.unread()).map(({ message }) => message);
    if (!this.#hasReason(unread)) {
      if (unread.length > 0) await this.#takeWithoutRun();
      this.#showRest();
      return false;
    }
    if (this.#isCrashed) await this.#reopen();
    await this.#runOnce(this.#opened.agent);
    return true;
  }

  #hasReason(unread: readonly Message[]): boolean {
    if (this.hasEnded || this.exhausted) return false;
    return this.#isCutShort(this.#opened.agent) || this.#options.isWorthwhile(unread, this);
  }

  /**
   * What is taken in though it is worth no run: an order, which would be carried out again by the
   * next process, and what would keep a full mailbox from showing what lies behind it.
   */
  async #takeWithoutRun(): Promise<void> {
    if (this.hasEnded || this.#isCrashed) return;
    const { agent } = this.#opened;
    const mail = await this.#opened.takeWithoutRun();
    if (mail.length === 0) return;
    await agent.append(mail);
    await agent.options.input.settle(mail);
    // Something may have come to light behind it.
    this.#loop.wake();
  }

  #isCutShort({ lastRun }: Agent): boolean {
    const goesOn = this.#options.goesOnByItself && this.#condition.type === "ready";
    return goesOn && lastRun.isOpen;
  }

  async #runOnce(agent: Agent): Promise<void> {
    // It may have been ended while it looked for a reason.
    if (this.hasEnded) return;
    const run = new AbortController();
    this.#run = run;
    this.#condition = { type: "ready" };
    this.#isInterrupted = false;
    this.#runs++;
    this.#show("working", undefined);
    try {
      this.#lastEnd = await this.#follow(runAgent(agent, run.signal));
    } finally {
      this.#run = undefined;
      this.#interruptsNext = false;
    }
    const end = this.#lastEnd;
    if (end?.outcome === "failed" && !this.hasEnded) {
      this.#condition = { type: "failed", reason: end.reason ?? "unknown" };
    }
    // Whoever leaves settles it at the next start: by then it has not ended.
    if (end && !this.#hasLeft) await this.#settle();
  }

  async #follow(events: ReturnType<typeof runAgent>): Promise<RunEnd | undefined> {
    for (let next = await events.next(); ; next = await events.next()) {
      if (next.done) return next.value;
      this.#options.hub.emit(next.value);
      // Not before it has taken its mail, which would have it run again.
      if (next.value.type === "turn-start" && this.#interruptsNext) this.interrupt();
    }
  }

  async #settle(): Promise<void> {
    const { agent } = this.#opened;
    await this.#options.settle(this, agent);
    await agent.record({ type: "run-settled" });
  }

  /** Whatever is the matter with its files, it can be ended. */
  async #tryToCloseLastRun(reason: string): Promise<void> {
    try {
      await this.#closeLastRun(reason);
    } catch (error) {
      this.#options.onCrash(describe(error));
    }
  }

  /** A crash, or a process that was killed, may have left a run whose answers nobody has heard of. */
  async #closeLastRun(reason: string): Promise<void> {
    if (this.#isCrashed) await this.#reopen();
    const { agent } = this.#opened;
    if (agent.lastRun.isOpen) {
      const report_id = newMessageId(this.#options.clock.now());
      await agent.record({ type: "run-end", outcome: "interrupted", reason, report_id });
    }
    if (agent.lastRun.unsettledEnd) await this.#settle();
  }

  #showRest(): void {
    if (this.hasEnded) return;
    if (this.failure !== undefined) this.#show("failed", this.failure);
    else this.#show("idle", this.exhausted ?? (this.#isInterrupted ? "interrupted" : undefined));
  }

  #show(status: MemberStatus, detail: string | undefined): void {
    if (this.#shown?.status === status && this.#shown.detail === detail) return;
    this.#shown = { status, detail };
    this.#options.onStatus(status, detail);
  }

  #crash(error: unknown): void {
    const reason = describe(error);
    this.#isCrashed = true;
    this.#run = undefined;
    if (this.hasEnded) return;
    // Whatever is tried again and fails again for the same reason is told once.
    const isKnown = this.failure === reason;
    this.#condition = { type: "failed", reason };
    this.#lastEnd = { outcome: "failed", answers: [], reason, isUnanswered: true };
    this.#show("failed", reason);
    if (!isKnown) this.#options.onCrash(reason);
  }

  /** What is in memory after a crash may not be what is on disk. */
  async #reopen(): Promise<void> {
    this.#stopListening();
    await this.#opened[Symbol.asyncDispose]();
    this.#opened = await this.#options.open();
    this.#isCrashed = false;
    this.#listen();
  }
}

function describe(error: unknown): string {
  if (error instanceof TeamError && error.hint) return `${error.message}. ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}
