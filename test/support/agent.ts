import { join } from "node:path";
import { z } from "zod";
import { Agent, type AgentOptions } from "../../src/agent/agent.ts";
import { Bill, Budget, type BudgetLimits } from "../../src/agent/bill.ts";
import { MailInput } from "../../src/agent/input.ts";
import { runAgent } from "../../src/agent/run-agent.ts";
import type { RunEnd } from "../../src/agent/runner.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { MemoryUsageLedger } from "../../src/logs/memory-usage-ledger.ts";
import type { Model } from "../../src/model/model.ts";
import type { Approvals } from "../../src/permissions/approvals.ts";
import { OutputFiles } from "../../src/processes/output-files.ts";
import type { AgentEvent } from "../../src/protocol/events.ts";
import { lead, type MessageId, user } from "../../src/protocol/ids.ts";
import { wakes } from "../../src/protocol/message-types.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import type { MemberStore, TeamStore } from "../../src/team/team-store.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { defineTool, success, type Tool } from "../../src/tools/tool.ts";
import { openInbox } from "./inbox.ts";

const price = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1.25 };

/**
 * A lead over a memory store, with a mailbox to write to. Everything else is a test's to choose.
 * A store that the test passes in stays the test's: it outlives this agent.
 */
export class TestAgent implements AsyncDisposable {
  readonly store: TeamStore;
  readonly member: MemberStore;
  readonly agent: Agent;
  readonly ledger: MemoryUsageLedger;
  readonly #owned: readonly AsyncDisposable[];

  private constructor(
    parts: Pick<TestAgent, "store" | "member" | "agent" | "ledger">,
    owned: readonly AsyncDisposable[],
  ) {
    this.store = parts.store;
    this.member = parts.member;
    this.agent = parts.agent;
    this.ledger = parts.ledger;
    this.#owned = owned;
  }

  static async open(
    model: Model,
    options: Partial<AgentOptions> & { budget?: BudgetLimits; store?: TeamStore } = {},
  ): Promise<TestAgent> {
    const directory = await temporaryDirectory();
    const store = options.store ?? new MemoryTeamStore({ clock: systemClock });
    const member = await store.openMember(lead, { onSetAside: () => undefined });
    const ledger = new MemoryUsageLedger();
    const secrets = options.secrets ?? new Secrets([]);
    const wholePath = () => ".team/outputs/mail.txt";
    const { budget, store: _, ...rest } = options;
    const agent = await Agent.open({
      name: lead,
      cwd: directory.path,
      system: "You are a team lead.",
      model,
      tools: [],
      transcript: member.transcript,
      input: new MailInput({
        reader: openInbox(member.reader),
        isWorthwhile: (mail) => mail.some(wakes),
        wholePath,
        keepWhole: async () => undefined,
        readImage: () => undefined,
        secrets,
        clock: systemClock,
      }),
      permissions: { judge: async () => ({ decision: "allow", reason: "", isReadOnly: true }) },
      approvals: nobodyAsked,
      bill: new Bill({
        member: lead,
        prices: new Map([[model.id, { price }]]),
        ledger,
        budgets: budget ? [new Budget("The team's", budget)] : [],
        clock: systemClock,
      }),
      limits: { maxTurns: 200, maxOutputTokens: 8_000, contextTokens: 200_000 },
      secrets,
      outputFiles: new OutputFiles({ directory: join(directory.path, "outputs"), secrets }),
      recap: async () => [],
      wholePath,
      clock: systemClock,
      ...rest,
    });
    const owned = options.store ? [directory] : [store, directory];
    return new TestAgent({ store, member, agent, ledger }, owned);
  }

  async tell(content: string): Promise<MessageId> {
    return (await this.member.mailbox.append({ type: "message", from: user, content })).id;
  }

  /** Runs to the end. `onEvent` may steer: interrupt, write mail, … */
  async run(
    signal: AbortSignal = new AbortController().signal,
    onEvent: (event: AgentEvent) => void | Promise<void> = () => undefined,
  ): Promise<{ events: AgentEvent[]; end: RunEnd | undefined }> {
    const events: AgentEvent[] = [];
    const run = runAgent(this.agent, signal);
    for (let next = await run.next(); ; next = await run.next()) {
      if (next.done) return { events, end: next.value };
      events.push(next.value);
      await onEvent(next.value);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const resource of this.#owned) await resource[Symbol.asyncDispose]();
  }
}

const nobodyAsked: Approvals = {
  ask: async ({ tool }) => {
    throw new Error(`Nobody should have been asked about ${tool}`);
  },
};

/** A tool that does what `run` says with its one argument. */
export function testTool(
  name: string,
  run: (value: string, signal: AbortSignal) => Promise<string> | string,
): Tool {
  return defineTool({
    name,
    description: `Does ${name}.`,
    input: z.object({ value: z.string() }),
    action: () => ({ type: "read", path: "." }),
    run: async ({ value }, { signal }) => success(await run(value, signal)),
  });
}
