import { newMessageId } from "../protocol/ids.ts";
import type { Message } from "../protocol/message.ts";
import type { Agent } from "./agent.ts";
import { carryOutCompaction } from "./compaction-order.ts";
import { runAgent } from "./run-agent.ts";
import type { LastRun, Runner } from "./runner.ts";

/** Runs a member by asking a model, and by calling the tools that it asks for. */
export class ModelRunner implements Runner {
  readonly #agent: Agent;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  get model(): string {
    return this.#agent.answeringModel;
  }

  get lastRun(): LastRun {
    return this.#agent.lastRun;
  }

  get exhausted(): string | undefined {
    return this.#agent.options.bill.exhausted;
  }

  run(...given: Parameters<Runner["run"]>): ReturnType<Runner["run"]> {
    return runAgent(this.#agent, ...given);
  }

  async *compact(...given: Parameters<Runner["compact"]>): ReturnType<Runner["compact"]> {
    const agent = this.#agent;
    // One that was set since the last request writes the summary, too.
    for (const message of (await agent.takeModel()) ?? []) {
      yield agent.stamp({ type: "warning", message });
    }
    for await (const event of carryOutCompaction(agent, ...given)) yield agent.stamp(event);
  }

  async takeIn(choose: (unread: readonly Message[]) => number): Promise<boolean> {
    const mail = await this.#agent.options.input.takeSome(choose);
    if (mail.length === 0) return false;
    await this.#agent.takeIn(mail, (taken) => this.#agent.append(taken));
    return true;
  }

  async endRun(reason: string): Promise<void> {
    const report_id = newMessageId(this.#agent.options.clock.now());
    await this.#agent.record({ type: "run-end", outcome: "interrupted", reason, report_id });
  }

  async settleRun(): Promise<void> {
    await this.#agent.record({ type: "run-settled" });
  }
}
