import type { CompactionOrder, LastRun, RunEnd, RunOrders } from "../../agent/runner.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import type { MemberParts } from "./member-definition.ts";

export interface MemberRunsOptions {
  /** Opens the member once more, after a crash. */
  open(): Promise<MemberParts>;
  /** Does everything that the end of a run brings about. Called again until it has resolved. */
  settle(run: LastRun): Promise<void>;
  /** Told that mail may have come. */
  onMail(): void;
  onEvent(event: AgentEvent): void;
}

/** The runs of one member, and what it consists of: opened again when it has crashed. */
export class MemberRuns {
  readonly #options: MemberRunsOptions;
  #parts: MemberParts;
  #isCrashed = false;
  #stopListening: () => void;

  constructor(parts: MemberParts, options: MemberRunsOptions) {
    this.#options = options;
    this.#parts = parts;
    this.#stopListening = parts.inbox.onWake(options.onMail);
  }

  get parts(): MemberParts {
    return this.#parts;
  }

  get last(): LastRun {
    return this.#parts.runner.lastRun;
  }

  get isCrashed(): boolean {
    return this.#isCrashed;
  }

  noteCrash(): void {
    this.#isCrashed = true;
  }

  /** What is in memory after a crash may not be what is on disk. */
  async recover(): Promise<void> {
    if (!this.#isCrashed) return;
    this.stopListening();
    await this.#parts[Symbol.asyncDispose]();
    this.#parts = await this.#options.open();
    this.#isCrashed = false;
    this.#stopListening = this.#parts.inbox.onWake(this.#options.onMail);
  }

  /** Settles a run whose end has not brought about everything yet. */
  async settleLast(): Promise<void> {
    if (!this.last.unsettledEnd) return;
    await this.recover();
    const { runner } = this.#parts;
    if (!runner.lastRun.unsettledEnd) return;
    await this.#options.settle(runner.lastRun);
    await runner.settleRun();
  }

  async run(signal: AbortSignal, orders: RunOrders): Promise<RunEnd | undefined> {
    const events = this.#parts.runner.run(signal, orders);
    for (let next = await events.next(); ; next = await events.next()) {
      if (next.done) {
        this.#parts.noteRunEnd();
        return next.value;
      }
      this.#options.onEvent(next.value);
    }
  }

  async compact(order: CompactionOrder, signal: AbortSignal): Promise<void> {
    for await (const event of this.#parts.runner.compact(order, signal)) {
      this.#options.onEvent(event);
    }
  }

  /** Closes a run that a crash or a killed process has left, whose answers nobody has heard of. */
  async closeLast(reason: string): Promise<void> {
    await this.recover();
    if (this.last.isOpen) await this.#parts.runner.endRun(reason);
    await this.settleLast();
  }

  /** From now on, mail causes no wake. */
  stopListening(): void {
    this.#stopListening();
  }
}
