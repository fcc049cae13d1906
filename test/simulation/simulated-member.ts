import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import { Bill, type Budget, type BudgetLimits } from "../../src/agent/bill.ts";
import { clearConversation } from "../../src/agent/clear.ts";
import { MailInput } from "../../src/agent/input.ts";
import { ModelRunner } from "../../src/agent/model-runner.ts";
import { systemPrompt } from "../../src/agent/system-prompt.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import type { Model } from "../../src/model/model.ts";
import { RequestApprovals } from "../../src/permissions/approvals.ts";
import type { Permissions } from "../../src/permissions/permissions.ts";
import type { Rule } from "../../src/permissions/rule.ts";
import type { Verdict } from "../../src/permissions/verdict.ts";
import type { MemberName } from "../../src/protocol/ids.ts";
import type { PermissionMode } from "../../src/protocol/message.ts";
import { Inbox } from "../../src/team/members/inbox.ts";
import type {
  MemberContext,
  MemberDefinition,
  MemberParts,
} from "../../src/team/members/member-definition.ts";
import { gated } from "../../src/team/protocols/plans.ts";
import type { TeamStore } from "../../src/team/team-store.ts";
import { defineTool, success, type Tool } from "../../src/tools/tool.ts";
import type { DurableState } from "./durable-state.ts";
import type { Defect } from "./process-store.ts";

export interface MemberSurroundings {
  store: TeamStore;
  clock: Clock;
  model: Model;
  durable: DurableState;
  defect: Defect | undefined;
  budgetOf(name: MemberName, limits: BudgetLimits): Budget;
  /** Told when a member's call changes something. */
  onChange(member: MemberName): void;
}

/** Opens a member on a simulated store: all of the agent is real but its model and its work. */
export async function openSimulatedMember(
  { name, role, mode, rules, maxTurns, budget }: MemberDefinition,
  context: MemberContext,
  { store, clock, model, durable, defect, budgetOf, onChange }: MemberSurroundings,
): Promise<MemberParts> {
  const { transcript, reader } = await store.openMember(name, { onSetAside: () => undefined });
  const secrets = new Secrets([]);
  const wholePath = () => "mail.txt";
  const { isWorthwhile } = context;
  const inbox = new Inbox(reader, context);
  const keepWhole = async () => undefined;
  const input = new MailInput({
    reader: inbox,
    ...{ isWorthwhile, wholePath, keepWhole, secrets, clock },
    readImage: () => undefined,
  });
  const permissions = new SimulatedPermissions(mode, rules, defect);
  const lastingGate: MemberContext["gate"] = {
    closed: () =>
      durable.plans.get(name)?.state === "approved" ? undefined : context.gate.closed(),
  };
  const agent = await Agent.open({
    name,
    cwd: "/",
    system: systemPrompt(role),
    model,
    tools: [
      ...workTools(() => onChange(name)),
      ...context.tools({ takeMail: () => input.takeForResult() }),
    ],
    transcript,
    input,
    permissions: gated(permissions, defect === "approval-without-end" ? lastingGate : context.gate),
    approvals: new RequestApprovals(store.requests),
    bill: new Bill({
      ...{ member: name, prices: new Map(), ledger: store.usage, clock },
      budgets: budget ? [budgetOf(name, budget)] : [],
    }),
    limits: { maxTurns, maxOutputTokens: 8_000, contextTokens: 200_000 },
    secrets,
    outputFiles: { capOutput: async (text) => text },
    recap: async () => [],
    wholePath,
    clock,
  });
  return {
    runner: new ModelRunner(agent),
    inbox,
    permissions,
    backgroundJobs: [],
    isTellingOfJobs: false,
    noteRunEnd: () => undefined,
    mailSettled: () => agent.mailSettled(),
    setModel: async () => undefined,
    rewind: async () => false,
    goBack: async () => undefined,
    clear: (closeRun) => clearConversation(agent, closeRun),
    end: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** The rule by which the person is asked no more. */
export const riskRule = "risk";

/** Allows everything but what is risky: that is asked about, unless there is a rule. */
class SimulatedPermissions implements Pick<Permissions, "judge" | "mode" | "rules"> {
  readonly mode: PermissionMode;
  rules: readonly Rule[];
  readonly #defect: Defect | undefined;

  constructor(mode: PermissionMode, rules: readonly Rule[], defect: Defect | undefined) {
    this.mode = mode;
    this.rules = rules;
    this.#defect = defect;
  }

  setMode(): void {}

  setRules(rules: readonly Rule[]): void {
    if (this.#defect !== "rule-ignored") this.rules = rules;
  }

  async judge({ tool, action }: Parameters<Permissions["judge"]>[0]): Promise<Verdict> {
    const isReadOnly = action.type === "coordinate" || action.type === "read";
    const isAsked = tool === "risk" && !this.rules.some(({ text }) => text === riskRule);
    if (!isAsked) return { decision: "allow", reason: "", isReadOnly };
    return { decision: "ask", reason: "it is risky", isReadOnly, suggestedRule: riskRule };
  }
}

/** One tool that looks and two that change something. */
function workTools(onChange: () => void): Tool[] {
  const input = z.object({});
  const changes = (name: string) =>
    defineTool({
      name,
      description: "Changes something.",
      input,
      action: () => ({ type: "write", path: "file" }),
      async run() {
        onChange();
        return success("Changed.");
      },
    });
  const look = defineTool({
    name: "look",
    description: "Looks at something.",
    input,
    action: () => ({ type: "read", path: "." }),
    run: async () => success("Nothing new."),
  });
  return [look, changes("change"), changes("risk")];
}
