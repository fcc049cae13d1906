import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import { Bill } from "../../src/agent/bill.ts";
import { MailInput } from "../../src/agent/input.ts";
import { systemPrompt } from "../../src/agent/system-prompt.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import type { Model } from "../../src/model/model.ts";
import type { Permissions } from "../../src/permissions/permissions.ts";
import type { MemberName } from "../../src/protocol/ids.ts";
import type { PermissionMode } from "../../src/protocol/message.ts";
import { gated } from "../../src/team/gated-permissions.ts";
import { heedful } from "../../src/team/member.ts";
import type { MemberDefinition, Seat } from "../../src/team/members/member-definition.ts";
import type { OpenMember } from "../../src/team/members/team-member.ts";
import { countWithoutRun } from "../../src/team/members/unheard-mail.ts";
import type { TeamStore } from "../../src/team/team-store.ts";
import { defineTool, success, type Tool } from "../../src/tools/tool.ts";

export interface MemberSurroundings {
  store: TeamStore;
  clock: Clock;
  model: Model;
  /** Told when a member's call changes something. */
  onChange(member: MemberName): void;
}

/** Opens a member on a simulated store: all of the agent is real but its model and its work. */
export async function openSimulatedMember(
  { name, role, mode, maxTurns }: MemberDefinition,
  seat: Seat,
  { store, clock, model, onChange }: MemberSurroundings,
): Promise<OpenMember> {
  const { transcript, reader } = await store.openMember(name, { onSetAside: () => undefined });
  const secrets = new Secrets([]);
  const wholePath = () => "mail.txt";
  const { isWorthwhile } = seat;
  const keepWhole = async () => undefined;
  const input = new MailInput({
    reader: heedful(reader, seat),
    ...{ isWorthwhile, wholePath, keepWhole, secrets, clock },
  });
  const agent = await Agent.open({
    name,
    system: systemPrompt(role),
    model,
    tools: [...workTools(() => onChange(name)), ...seat.tools],
    transcript,
    input,
    permissions: gated({ judge: judgeByAction }, seat.gate),
    approvals: {
      ask: async ({ tool }) => ({ type: "denied", reason: `nobody is asked about ${tool}` }),
    },
    bill: new Bill({
      ...{ member: name, model: model.id, price: undefined, ledger: store.usage, clock },
      budgets: [],
    }),
    limits: { maxTurns, maxOutputTokens: 8_000, contextTokens: 200_000 },
    secrets,
    outputFiles: { capOutput: async (text) => text },
    recap: async () => [],
    wholePath,
    clock,
  });
  return {
    agent,
    reader,
    permissions: fixedPermissions(mode),
    backgroundJobs: 0,
    takeMail: () => input.takeForResult(),
    takeWithoutRun: () => input.takeSome(countWithoutRun),
    end: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const judgeByAction: Permissions["judge"] = async ({ action }) => {
  const isReadOnly = action.type === "coordinate" || action.type === "read";
  return { decision: "allow", reason: "", isReadOnly };
};

function fixedPermissions(mode: PermissionMode): OpenMember["permissions"] {
  return { mode, rules: [], setMode: () => undefined, addRule: () => undefined };
}

/** One tool that looks and one that changes something. */
function workTools(onChange: () => void): Tool[] {
  const input = z.object({});
  return [
    defineTool({
      name: "look",
      description: "Looks at something.",
      input,
      action: () => ({ type: "read", path: "." }),
      run: async () => success("Nothing new."),
    }),
    defineTool({
      name: "change",
      description: "Changes something.",
      input,
      action: () => ({ type: "write", path: "file" }),
      async run() {
        onChange();
        return success("Changed.");
      },
    }),
  ];
}
